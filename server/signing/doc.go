// Package signing signs strategy plugins' modules, and verifies signatures with public keys, without a network.
//
// The nouns: PublicKey and PrivateKey (keys in PEM, as cosign and openssl write them), Signature (a document that a signer
// hands on beside the module). A Signature comes in one of three formats, told apart by what is in it:
//
//   - Stratagem's own (FormatStratagem), which `stratagem plugin sign` makes:
//
//     {"kind":"stratagem.dev/signature/v1","digest":"sha256:…","keyID":"sha256:…","signature":"BASE64"}
//
//     The signature is ed25519 (RFC 8032, pure) over the text "stratagem.dev/signature/v1\nsha256:HEX\n", HEX being the sha256 of
//     the module's bytes in lower-case hexadecimal. keyID is the sha256 of the public key's PKIX DER form.
//
//   - cosign's bundle (FormatCosign) of `cosign sign-blob --key K --bundle F`:
//
//     {"base64Signature":"…","cert":"…","rekorBundle":{…}}
//
//     The signature is over the module's bytes. The rekorBundle is not looked at; the cert may be the public key, not a certificate.
//
//   - sigstore's bundle (FormatSigstore, v0.1 to v0.3) of `cosign sign-blob --key K --new-bundle-format --bundle F`:
//
//     {"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json","verificationMaterial":{"publicKey":{"hint":"…"}},
//     "messageSignature":{"messageDigest":{"algorithm":"SHA2_256","digest":"BASE64"},"signature":"BASE64"}}
//
//     The signature is over the module's bytes and the digest must be theirs. Transparency log entries are not looked at.
//
// Why so, and what is refused: RATIONALE.md.
package signing
