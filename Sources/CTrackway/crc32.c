// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// The checksum of our files: CRC-32 as in zlib (reflected polynomial 0xEDB88320), with processor instructions if
// available.

#include "CTrackway.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

// MARK: Table

// Slicing by eight: table[n][b] is the state after byte b and n zero bytes.
static uint32_t table[8][256];
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static void make_table(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t state = byte;
        for (int bit = 0; bit < 8; bit++) state = state >> 1 ^ (state & 1 ? 0xEDB88320u : 0);
        table[0][byte] = state;
    }
    for (int zeros = 1; zeros < 8; zeros++) {
        for (int byte = 0; byte < 256; byte++) {
            uint32_t before = table[zeros - 1][byte];
            table[zeros][byte] = before >> 8 ^ table[0][before & 0xFF];
        }
    }
}

uint32_t ctrackway_crc32_by_table(uint32_t sum, const void *bytes, size_t count) {
    if (pthread_once(&table_once, make_table) != 0) return sum;
    const uint8_t *next = bytes;
    uint32_t state = ~sum;
    while (count >= 8) {
        // Byte by byte, so that the result does not depend on the machine's byte order.
        state ^= (uint32_t)next[0] | (uint32_t)next[1] << 8 | (uint32_t)next[2] << 16 | (uint32_t)next[3] << 24;
        state = table[7][state & 0xFF] ^ table[6][state >> 8 & 0xFF] ^ table[5][state >> 16 & 0xFF]
            ^ table[4][state >> 24] ^ table[3][next[4]] ^ table[2][next[5]] ^ table[1][next[6]] ^ table[0][next[7]];
        next += 8;
        count -= 8;
    }
    while (count > 0) {
        state = state >> 8 ^ table[0][(state ^ *next) & 0xFF];
        next += 1;
        count -= 1;
    }
    return ~state;
}

typedef uint32_t (*crc32_function)(uint32_t, const void *, size_t);

// MARK: x86-64

#if defined(__x86_64__)
#include <cpuid.h>
#include <smmintrin.h>
#include <wmmintrin.h>

// "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction" (Intel, 2009), reflected. A block of 16
// bytes is folded over the following bytes by multiplication with powers of x modulo the polynomial.
#define FOLDING __attribute__((target("pclmul,sse4.1")))

FOLDING static inline __m128i load(const uint8_t *bytes) {
    return _mm_loadu_si128((const __m128i *)(const void *)bytes);
}

FOLDING static inline __m128i fold(__m128i block, __m128i powers) {
    return _mm_xor_si128(_mm_clmulepi64_si128(block, powers, 0x00), _mm_clmulepi64_si128(block, powers, 0x11));
}

/// Returns the state after a message of 16 bytes.
///
/// The message begins with state 0.
FOLDING static inline uint32_t reduce(__m128i block) {
    const __m128i low = _mm_setr_epi32(~0, 0, ~0, 0);
    // Reduce from 128 to 64 bits, followed by the 32 zero bits of the definition.
    const __m128i powers = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
    block = _mm_xor_si128(_mm_srli_si128(block, 8), _mm_clmulepi64_si128(block, powers, 0x10));
    block = _mm_xor_si128(
        _mm_srli_si128(block, 4),
        _mm_clmulepi64_si128(_mm_and_si128(block, low), _mm_set_epi64x(0, 0x0163cd6124), 0x00)
    );
    // Barrett reduction: the nearest multiple of the polynomial.
    const __m128i barrett = _mm_set_epi64x(0x01f7011641, 0x01db710641);
    __m128i multiple = _mm_clmulepi64_si128(_mm_and_si128(block, low), barrett, 0x10);
    multiple = _mm_clmulepi64_si128(_mm_and_si128(multiple, low), barrett, 0x00);
    return (uint32_t)_mm_extract_epi32(_mm_xor_si128(block, multiple), 1);
}

// Shuffle masks, loaded at offset n: move a block n bytes toward the end of a message of 32 bytes (the half at 0), or
// out of it (the half at 16).
static const uint8_t moves[48] = {
    0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
    0,    1,    2,    3,    4,    5,    6,    7,    8,    9,    10,   11,   12,   13,   14,   15,
    0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
};

FOLDING static uint32_t crc32_short(uint32_t state, const uint8_t *bytes, size_t count) {
    // Leading zeros do not change a message that begins with state 0, so the state is combined with the first bytes.
    uint8_t block[16] = {0};
    uint32_t rest = 0;
    memcpy(block + 16 - count, bytes, count);
    for (size_t index = 0; index < 4; index++) {
        if (index < count) {
            block[16 - count + index] ^= (uint8_t)(state >> 8 * index);
        } else {
            rest = state >> 8 * count;
            break;
        }
    }
    return reduce(load(block)) ^ rest;
}

FOLDING static uint32_t crc32_folding(uint32_t sum, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    uint32_t state = ~sum;
    if (count < 16) return count == 0 ? sum : ~crc32_short(state, next, count);
    const __m128i by_one = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
    __m128i first = _mm_xor_si128(load(next), _mm_cvtsi32_si128((int)state));
    if (count >= 64) {
        const __m128i by_four = _mm_set_epi64x(0x01c6e41596, 0x0154442bd4);
        __m128i second = load(next + 16), third = load(next + 32), fourth = load(next + 48);
        next += 64;
        count -= 64;
        while (count >= 64) {
            first = _mm_xor_si128(fold(first, by_four), load(next));
            second = _mm_xor_si128(fold(second, by_four), load(next + 16));
            third = _mm_xor_si128(fold(third, by_four), load(next + 32));
            fourth = _mm_xor_si128(fold(fourth, by_four), load(next + 48));
            next += 64;
            count -= 64;
        }
        first = _mm_xor_si128(fold(first, by_one), second);
        first = _mm_xor_si128(fold(first, by_one), third);
        first = _mm_xor_si128(fold(first, by_one), fourth);
    } else {
        next += 16;
        count -= 16;
    }
    while (count >= 16) {
        first = _mm_xor_si128(fold(first, by_one), load(next));
        next += 16;
        count -= 16;
    }
    if (count > 0) {
        // The last 16 bytes overlap bytes that are already folded. So the block's first bytes are folded over a block
        // that consists of its other bytes and the last bytes of the message. At least 16 bytes precede `next`, because
        // at least 16 were read.
        const __m128i out = load(moves + count), up = load(moves + 16 + count);
        const __m128i last = load(next + count - 16);
        const __m128i rest = _mm_blendv_epi8(_mm_shuffle_epi8(first, up), last, up);
        first = _mm_xor_si128(fold(_mm_shuffle_epi8(first, out), by_one), rest);
    }
    return ~reduce(first);
}

static crc32_function hardware(void) {
    unsigned a, b, c = 0, d;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return NULL;
    return (c & bit_PCLMUL) && (c & bit_SSE41) ? crc32_folding : NULL;
}

// MARK: ARM

#elif defined(__aarch64__) && !defined(__AARCH64EB__)
#if defined(__APPLE__)
#include <sys/sysctl.h>
#elif defined(__linux__)
#include <sys/auxv.h>
#ifndef HWCAP_CRC32
#define HWCAP_CRC32 (1 << 7)
#endif
#endif

#if defined(__clang__)
#define CRC_INSTRUCTIONS __attribute__((target("crc")))
#define crc32_of_8(state, word) __builtin_arm_crc32d(state, word)
#define crc32_of_1(state, byte) __builtin_arm_crc32b(state, byte)
#else
#define CRC_INSTRUCTIONS __attribute__((target("+crc")))
#define crc32_of_8(state, word) __builtin_aarch64_crc32x(state, word)
#define crc32_of_1(state, byte) __builtin_aarch64_crc32b(state, byte)
#endif

CRC_INSTRUCTIONS static uint32_t crc32_instructions(uint32_t sum, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    uint32_t state = ~sum;
    while (count >= 32) {
        uint64_t words[4];
        memcpy(words, next, 32);
        state = crc32_of_8(state, words[0]);
        state = crc32_of_8(state, words[1]);
        state = crc32_of_8(state, words[2]);
        state = crc32_of_8(state, words[3]);
        next += 32;
        count -= 32;
    }
    while (count >= 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        state = crc32_of_8(state, word);
        next += 8;
        count -= 8;
    }
    while (count > 0) {
        state = crc32_of_1(state, *next);
        next += 1;
        count -= 1;
    }
    return ~state;
}

static crc32_function hardware(void) {
#if defined(__ARM_FEATURE_CRC32)
    return crc32_instructions;
#elif defined(__APPLE__)
    // Devices with an A9 or older may not support the instructions.
    int has = 0;
    size_t size = sizeof has;
    if (sysctlbyname("hw.optional.armv8_crc32", &has, &size, NULL, 0) != 0) return NULL;
    return has ? crc32_instructions : NULL;
#elif defined(__linux__)
    return getauxval(AT_HWCAP) & HWCAP_CRC32 ? crc32_instructions : NULL;
#else
    return NULL;
#endif
}

#else
static crc32_function hardware(void) { return NULL; }
#endif

// MARK: Choice

static uint32_t choose(uint32_t sum, const void *bytes, size_t count);

// Every thread that calls `choose` selects and stores the same function, so no memory ordering is required.
static _Atomic(crc32_function) chosen = choose;

static uint32_t choose(uint32_t sum, const void *bytes, size_t count) {
    crc32_function function = hardware();
    if (function == NULL) function = ctrackway_crc32_by_table;
    atomic_store_explicit(&chosen, function, memory_order_relaxed);
    return function(sum, bytes, count);
}

uint32_t ctrackway_crc32(uint32_t sum, const void *bytes, size_t count) {
    return atomic_load_explicit(&chosen, memory_order_relaxed)(sum, bytes, count);
}
