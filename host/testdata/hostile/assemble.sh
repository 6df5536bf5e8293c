#!/bin/sh
# Assembles every guest with wabt's wat2wasm, and notes in SUMS which text each was made of.
set -eu
cd "$(dirname "$0")"
for text in *.wat; do
	wat2wasm --enable-threads "$text" -o "${text%.wat}.wasm"
done
sha256sum ./*.wat >SUMS
