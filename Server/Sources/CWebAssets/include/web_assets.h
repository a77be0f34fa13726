// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The files of the collector's page, compiled in.
#ifndef WEB_ASSETS_H
#define WEB_ASSETS_H

#include <stddef.h>

struct web_asset {
    // The path at which it is served; "/" for the page itself.
    const char *path;
    // The media type, including the character set of text files.
    const char *content_type;
    const unsigned char *bytes;
    size_t count;
};

// The number of files.
extern const size_t web_asset_count;

// Returns the file with this index, which must be less than `web_asset_count`. Style sheets are in the order in which
// they apply.
struct web_asset web_asset_at(size_t index);

#endif
