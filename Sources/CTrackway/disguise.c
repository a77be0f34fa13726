// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#include "CTrackway.h"

#include <stdio.h>
#include <string.h>

// SipHash-2-4 (Aumasson and Bernstein): a keyed 64-bit function that cannot be inverted without the key.

#define ROTATE(word, by) (((word) << (by)) | ((word) >> (64 - (by))))

static void rounds(uint64_t v[4], int count) {
    for (; count > 0; count--) {
        v[0] += v[1];
        v[1] = ROTATE(v[1], 13) ^ v[0];
        v[0] = ROTATE(v[0], 32);
        v[2] += v[3];
        v[3] = ROTATE(v[3], 16) ^ v[2];
        v[0] += v[3];
        v[3] = ROTATE(v[3], 21) ^ v[0];
        v[2] += v[1];
        v[1] = ROTATE(v[1], 17) ^ v[2];
        v[2] = ROTATE(v[2], 32);
    }
}

uint64_t ctrackway_keyed_hash(const uint64_t key[2], const void *bytes, size_t count) {
    uint64_t v[4] = {
        key[0] ^ 0x736f6d6570736575ULL, key[1] ^ 0x646f72616e646f6dULL, key[0] ^ 0x6c7967656e657261ULL,
        key[1] ^ 0x7465646279746573ULL,
    };
    const uint8_t *at = bytes;
    uint64_t last = (uint64_t)count << 56;
    for (; count >= 8; count -= 8, at += 8) {
        uint64_t word = 0;
        for (int index = 7; index >= 0; index--) word = word << 8 | at[index];
        v[3] ^= word;
        rounds(v, 2);
        v[0] ^= word;
    }
    for (size_t index = 0; index < count; index++) last |= (uint64_t)at[index] << (8 * index);
    v[3] ^= last;
    rounds(v, 2);
    v[0] ^= last;
    v[2] ^= 0xff;
    rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/// Returns the keyed hash of a letter and a text.
static uint64_t part(const uint64_t key[2], char letter, const char *text) {
    char bytes[1024];
    size_t count = strnlen(text, sizeof bytes - 1);
    bytes[0] = letter;
    memcpy(bytes + 1, text, count);
    return ctrackway_keyed_hash(key, bytes, count + 1);
}

void ctrackway_disguise_boot(const char *boot, const char *place, char *id, int64_t *shift_milliseconds) {
    // The boot's real id is the secret; the place is the message.
    const uint64_t letters[2] = {0x747261636b776179ULL, 0x626f6f7400000001ULL};
    uint64_t key[2] = {part(letters, 'a', boot), part(letters, 'b', boot)};
    uint64_t high = part(key, '1', place), low = part(key, '2', place);
    snprintf(
        id, 37, "%08x-%04x-%04x-%04x-%012llx", (unsigned)(high >> 32), (unsigned)(high >> 16 & 0xffff),
        (unsigned)(high & 0xffff), (unsigned)(low >> 48), (unsigned long long)(low & 0xffffffffffffULL)
    );
    *shift_milliseconds = (int64_t)(part(key, '3', place) >> 25);
}
