// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#ifndef CZLIB_SHIM_H
#define CZLIB_SHIM_H
#include <zlib.h>

// `deflateInit2` and `inflateInit2` are macros that pass the header's version; Swift cannot call macros.
static inline int czlib_deflate_init2(z_stream *stream, int level, int window_bits, int memory_level) {
    return deflateInit2(stream, level, Z_DEFLATED, window_bits, memory_level, Z_DEFAULT_STRATEGY);
}
static inline int czlib_inflate_init2(z_stream *stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}
#endif
