// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// AES-256-GCM of OpenSSL's libcrypto (1.1 or 3) for Swift: the calls for one message, combined in one function each.

#ifndef CCRYPTO_SHIM_H
#define CCRYPTO_SHIM_H
#include <limits.h>
#include <openssl/evp.h>
#include <stddef.h>
#include <stdint.h>

enum { ccrypto_nonce_size = 12, ccrypto_tag_size = 16 };

/// Creates a context with a key of 32 bytes.
///
/// For encryption or decryption. NULL if the library fails.
static inline EVP_CIPHER_CTX *ccrypto_make(const uint8_t *key, int encrypts) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (context == NULL) return NULL;
    if (EVP_CipherInit_ex(context, EVP_aes_256_gcm(), NULL, key, NULL, encrypts) != 1) {
        EVP_CIPHER_CTX_free(context);
        return NULL;
    }
    return context;
}

/// Frees a context and clears its key.
///
/// NULL is allowed.
static inline void ccrypto_free(EVP_CIPHER_CTX *context) { EVP_CIPHER_CTX_free(context); }

/// Begins a message with its nonce and its additional authenticated data.
static inline int ccrypto_begin(
    EVP_CIPHER_CTX *context, const void *nonce, const void *associated, size_t associated_size, int encrypts) {
    int written;
    if (associated_size > INT_MAX) return 0;
    return EVP_CipherInit_ex(context, NULL, NULL, NULL, (const uint8_t *)nonce, encrypts) == 1
        && EVP_CipherUpdate(context, NULL, &written, (const uint8_t *)associated, (int)associated_size) == 1;
}

/// Encrypts `size` bytes.
///
/// `output` receives the same number of bytes, followed by the tag.
///
/// Returns 1, or 0 if the library fails.
static inline int ccrypto_encrypt(
    EVP_CIPHER_CTX *context, const void *nonce, const void *associated, size_t associated_size, const void *text,
    size_t size, void *output) {
    uint8_t *bytes = (uint8_t *)output;
    int written = 0;
    if (size > INT_MAX || !ccrypto_begin(context, nonce, associated, associated_size, 1)) return 0;
    if (size > 0 && EVP_CipherUpdate(context, bytes, &written, (const uint8_t *)text, (int)size) != 1) return 0;
    if (EVP_CipherFinal_ex(context, bytes + size, &written) != 1) return 0;
    return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, ccrypto_tag_size, bytes + size) == 1;
}

/// Decrypts `size` bytes that are followed by the tag.
///
/// `output` receives the plaintext.
///
/// Returns 1, or 0 if they are not authentic.
static inline int ccrypto_decrypt(
    EVP_CIPHER_CTX *context, const void *nonce, const void *associated, size_t associated_size, const void *sealed,
    size_t size, void *output) {
    const uint8_t *bytes = (const uint8_t *)sealed;
    uint8_t tag[ccrypto_tag_size], end[ccrypto_tag_size];
    int written = 0;
    if (size > INT_MAX || !ccrypto_begin(context, nonce, associated, associated_size, 0)) return 0;
    if (size > 0 && EVP_CipherUpdate(context, (uint8_t *)output, &written, bytes, (int)size) != 1) return 0;
    for (int index = 0; index < ccrypto_tag_size; index++) tag[index] = bytes[size + (size_t)index];
    if (EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, ccrypto_tag_size, tag) != 1) return 0;
    return EVP_CipherFinal_ex(context, end, &written) == 1;
}
#endif
