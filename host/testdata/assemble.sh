#!/bin/sh
# Assembles every guest with wabt's wat2wasm, and notes in SUMS which text each was made of.
set -eu
for folder in hostile guests; do
	cd "$(dirname "$0")/$folder"
	for text in *.wat; do
		wat2wasm --enable-threads "$text" -o "${text%.wat}.wasm"
	done
	sha256sum ./*.wat >SUMS
	cd - >/dev/null
done
