// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// Reads Mach-O images in memory. The constants are defined here, so that this file needs no Apple header and compiles
// everywhere. All memory is read through the given function, in pieces and never beyond the bounds in a header, so that
// this code can run inside a signal handler and on untrusted bytes.

#include "CTrackwayCrash.h"

#include <string.h>

#define MAGIC_32 0xFEEDFACEu
#define MAGIC_64 0xFEEDFACFu
#define FILE_EXECUTABLE 2u
#define FLAG_IN_SYSTEM_CACHE 0x80000000u
#define COMMAND_SEGMENT_32 0x1u
#define COMMAND_SEGMENT_64 0x19u
#define COMMAND_UUID 0x1Bu
#define COMMAND_FUNCTION_STARTS 0x26u
/// Limits that damaged headers may exceed, but no valid image does.
#define MOST_COMMANDS 4096u
#define MOST_SECTIONS 512u

typedef struct macho_header {
    uint32_t magic, processor, kind_of_processor, file_kind, command_count, command_bytes, flags;
} macho_header;

typedef struct macho_command {
    uint32_t kind, size;
} macho_command;

/// A segment or a section, of a 32-bit or 64-bit image.
typedef struct macho_range {
    char name[16];
    uint64_t address, size, file_offset;
    uint32_t section_count;
} macho_range;

typedef struct macho_segment_64 {
    char name[16];
    uint64_t address, size, file_offset, file_size;
    uint32_t most_access, access, section_count, flags;
} macho_segment_64;
typedef struct macho_segment_32 {
    char name[16];
    uint32_t address, size, file_offset, file_size;
    uint32_t most_access, access, section_count, flags;
} macho_segment_32;
typedef struct macho_section_64 {
    char name[16], segment[16];
    uint64_t address, size;
    uint32_t rest[8];
} macho_section_64;
typedef struct macho_section_32 {
    char name[16], segment[16];
    uint32_t address, size;
    uint32_t rest[7];
} macho_section_32;
_Static_assert(sizeof(macho_segment_64) == 64 && sizeof(macho_segment_32) == 48, "as in the format");
_Static_assert(sizeof(macho_section_64) == 80 && sizeof(macho_section_32) == 68, "as in the format");

/// The memory that is read.
typedef struct macho_source {
    ctrackway_memory_reader read;
    void *memory;
    bool is_wide;
} macho_source;

static bool copy(const macho_source *source, uint64_t address, void *to, size_t count) {
    return source->read(source->memory, address, to, count);
}

/// Whether a range is inside a command.
///
/// Nothing beyond the command's end is read.
static bool fits(uint64_t at, size_t count, uint64_t end) { return at <= end && end - at >= count; }

static bool read_segment(const macho_source *source, uint64_t at, uint64_t end, macho_range *segment) {
    at += sizeof(macho_command);
    if (source->is_wide) {
        macho_segment_64 wide;
        if (!fits(at, sizeof wide, end) || !copy(source, at, &wide, sizeof wide)) return false;
        *segment = (macho_range){
            .address = wide.address,
            .size = wide.size,
            .file_offset = wide.file_offset,
            .section_count = wide.section_count,
        };
        memcpy(segment->name, wide.name, sizeof segment->name);
        return true;
    }
    macho_segment_32 narrow;
    if (!fits(at, sizeof narrow, end) || !copy(source, at, &narrow, sizeof narrow)) return false;
    *segment = (macho_range){
        .address = narrow.address,
        .size = narrow.size,
        .file_offset = narrow.file_offset,
        .section_count = narrow.section_count,
    };
    memcpy(segment->name, narrow.name, sizeof segment->name);
    return true;
}

static bool is_named(const char name[16], const char *text) { return strncmp(name, text, 16) == 0; }

/// Returns the address of a segment's section before relocation.
///
/// Returns 0 if not found.
static uint64_t find_section(
    const macho_source *source,
    uint64_t at,
    uint64_t end,
    uint32_t count,
    const char *name
) {
    at += sizeof(macho_command) + (source->is_wide ? sizeof(macho_segment_64) : sizeof(macho_segment_32));
    for (uint32_t index = 0; index < count && index < MOST_SECTIONS; index++) {
        if (source->is_wide) {
            macho_section_64 wide;
            if (!fits(at, sizeof wide, end) || !copy(source, at, &wide, sizeof wide)) return 0;
            if (is_named(wide.name, name)) return wide.address;
            at += sizeof wide;
        } else {
            macho_section_32 narrow;
            if (!fits(at, sizeof narrow, end) || !copy(source, at, &narrow, sizeof narrow)) return 0;
            if (is_named(narrow.name, name)) return narrow.address;
            at += sizeof narrow;
        }
    }
    return 0;
}

static void name_architecture(const macho_header *header, char name[16]) {
    // The upper byte of the subtype contains capability flags.
    uint32_t kind = header->kind_of_processor & 0x00FFFFFFu;
    const char *text = "";
    switch (header->processor) {
    case 0x0100000Cu: text = kind == 2 ? "arm64e" : "arm64"; break;
    case 0x0200000Cu: text = "arm64_32"; break;
    case 0x01000007u: text = kind == 8 ? "x86_64h" : "x86_64"; break;
    case 0x0000000Cu: text = kind == 12 ? "armv7k" : "armv7"; break;
    case 0x00000007u: text = "i386"; break;
    default: break;
    }
    memset(name, 0, 16);
    memcpy(name, text, strlen(text));
}

static void write_uuid(const unsigned char bytes[16], char *text) {
    size_t at = 0;
    for (int index = 0; index < 16; index++) {
        if (index == 4 || index == 6 || index == 8 || index == 10) text[at++] = '-';
        text[at++] = "0123456789ABCDEF"[bytes[index] >> 4];
        text[at++] = "0123456789ABCDEF"[bytes[index] & 15];
    }
    text[at] = 0;
}

bool ctrackway_macho_read(ctrackway_memory_reader read, void *memory, uint64_t address, ctrackway_image *image) {
    macho_source source = {.read = read, .memory = memory};
    macho_header header;
    memset(image, 0, sizeof *image);
    if (!copy(&source, address, &header, sizeof header)) return false;
    if (header.magic != MAGIC_32 && header.magic != MAGIC_64) return false;
    source.is_wide = header.magic == MAGIC_64;
    name_architecture(&header, image->architecture);
    image->base = address;
    image->is_executable = header.file_kind == FILE_EXECUTABLE;
    image->is_system = (header.flags & FLAG_IN_SYSTEM_CACHE) != 0;

    // The 64-bit header has four more bytes.
    uint64_t at = address + sizeof header + (source.is_wide ? 4 : 0);
    uint64_t end = at + header.command_bytes;
    uint64_t annotations = 0, starts = 0, starts_size = 0, moved = 0;
    macho_range links = {.size = 0};
    for (uint32_t index = 0; index < header.command_count && index < MOST_COMMANDS; index++) {
        macho_command command;
        if (!fits(at, sizeof command, end) || !copy(&source, at, &command, sizeof command)) break;
        if (command.size < sizeof command || !fits(at, command.size, end)) break;
        uint64_t command_end = at + command.size;
        macho_range segment;
        unsigned char uuid[16];
        uint32_t linked[2];
        if (command.kind == (source.is_wide ? COMMAND_SEGMENT_64 : COMMAND_SEGMENT_32)) {
            if (read_segment(&source, at, command_end, &segment)) {
                if (is_named(segment.name, "__TEXT")) {
                    moved = address - segment.address;
                    image->first = address;
                    image->last = address + segment.size;
                } else if (is_named(segment.name, "__LINKEDIT")) {
                    links = segment;
                }
                uint64_t found = find_section(&source, at, command_end, segment.section_count, "__crash_info");
                if (found != 0) annotations = found;
            }
        } else if (command.kind == COMMAND_UUID && fits(at + sizeof command, sizeof uuid, command_end)) {
            if (copy(&source, at + sizeof command, uuid, sizeof uuid)) write_uuid(uuid, image->build);
        } else if (command.kind == COMMAND_FUNCTION_STARTS && fits(at + sizeof command, sizeof linked, command_end)) {
            if (copy(&source, at + sizeof command, linked, sizeof linked)) {
                starts = linked[0];
                starts_size = linked[1];
            }
        }
        at = command_end;
    }
    if (image->last <= image->first) return false;
    // All segments are relocated by the same offset.
    if (annotations != 0) image->annotations = annotations + moved;
    if (starts_size != 0 && links.size != 0 && starts >= links.file_offset) {
        uint64_t offset = starts - links.file_offset;
        if (offset < links.size && starts_size <= links.size - offset) {
            image->functions = links.address + moved + offset;
            image->functions_size = starts_size;
        }
    }
    return true;
}

bool ctrackway_macho_function(
    ctrackway_memory_reader read,
    void *memory,
    const ctrackway_image *image,
    uint64_t address,
    uint64_t *first,
    uint64_t *last
) {
    if (image->functions == 0 || address < image->first || address >= image->last) return false;
    // The offsets from one function to the next, starting at the image's first byte: seven bits per byte, lowest first.
    uint8_t bytes[512];
    uint64_t at = 0, start = image->first, value = 0;
    unsigned shift = 0;
    bool has_start = false;
    while (at < image->functions_size) {
        size_t count = image->functions_size - at < sizeof bytes ? (size_t)(image->functions_size - at) : sizeof bytes;
        if (!read(memory, image->functions + at, bytes, count)) return false;
        for (size_t index = 0; index < count; index++) {
            if (shift > 56) return false;
            value |= (uint64_t)(bytes[index] & 0x7F) << shift;
            shift += 7;
            if ((bytes[index] & 0x80) != 0) continue;
            // End of the list.
            if (value == 0) goto ended;
            uint64_t next = start + value;
            // On old processors, the lowest bit marks another instruction set; no function begins at such an address.
            if (next > address) {
                *first = start;
                *last = next;
                return has_start;
            }
            start = next;
            has_start = true;
            value = 0;
            shift = 0;
        }
        at += count;
    }
ended:
    *first = start;
    *last = image->last;
    return has_start;
}
