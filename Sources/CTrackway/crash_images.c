// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// The loaded code: a table that the handler reads while another thread may be adding entries. It grows by blocks in
// separate memory, which are never moved and never freed. An entry is complete before the count includes it (release
// and acquire). Threads that add entries are serialized by a lock, which the handler does not take.
//
// On Linux, the table is built when capture begins, and every image is written to the file. On Apple systems, the
// loader reports each image, both existing and later ones, at first on a separate thread because there are hundreds.
// The app's own images are written to the file in one piece, so that they are there even if a full disk leaves no space
// for more. The handler writes all images that the report refers to, including system images, after the stack. If an
// image has several lines, readers use the last one.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "crash.h"

#if CRASHES_ARE_CAPTURED
#include "CTrackway.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__linux__)
#include <elf.h>
#include <link.h>
#else
#include <dlfcn.h>
#include <mach-o/dyld.h>
#endif

#define BLOCK 128
#define LONGEST_PATH 1200

typedef struct image_entry {
    ctrackway_image image;
    /// The loader's copy, which exists while the image is loaded.
    const char *path;
    /// Whether the image was built without frame pointers.
    bool is_frameless;
    /// Whether it is the Swift runtime, whose messages come first.
    bool is_swift_runtime;
    /// Whether every file already contains a line about it.
    ///
    /// The line was written before the handler could run.
    bool is_in_file;
    /// 1 after it was unloaded.
    uint32_t is_gone;
    /// 1 while the report contains an address in it.
    uint32_t is_used;
} image_entry;

typedef struct image_block {
    image_entry entries[BLOCK];
    struct image_block *next;
} image_block;

static image_block first_block;
static uint32_t image_count;
/// 1 after all existing images were added to the table.
static uint32_t is_complete;
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

// MARK: The table

/// Iterates over the entries in order. Handler.
typedef struct image_cursor {
    image_block *block;
    uint32_t at, count;
} image_cursor;

static image_cursor all_images(void) {
    return (image_cursor){.block = &first_block, .count = __atomic_load_n(&image_count, __ATOMIC_ACQUIRE)};
}

static image_entry *next_image(image_cursor *cursor) {
    while (cursor->at < cursor->count && cursor->block != NULL) {
        image_entry *entry = &cursor->block->entries[cursor->at % BLOCK];
        cursor->at++;
        if (cursor->at % BLOCK == 0) cursor->block = __atomic_load_n(&cursor->block->next, __ATOMIC_ACQUIRE);
        if (__atomic_load_n(&entry->is_gone, __ATOMIC_ACQUIRE) == 0) return entry;
    }
    return NULL;
}

/// Returns the next free entry, or NULL if memory is exhausted.
///
/// Requires the lock.
static image_entry *allocate_image(void) {
    image_block *block = &first_block;
    for (uint32_t passed = BLOCK; passed <= image_count; passed += BLOCK) {
        if (block->next == NULL) {
            void *memory =
                mmap(NULL, sizeof *block, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (memory == MAP_FAILED) return NULL;
            __atomic_store_n(&block->next, (image_block *)memory, __ATOMIC_RELEASE);
        }
        block = block->next;
    }
    return &block->entries[image_count % BLOCK];
}

static image_entry *find_image(uint64_t address) {
    image_cursor cursor = all_images();
    for (image_entry *entry = next_image(&cursor); entry != NULL; entry = next_image(&cursor)) {
        if (address >= entry->image.first && address < entry->image.last) return entry;
    }
    return NULL;
}

// MARK: Lookups by the handler

ctrackway_code_kind crash_images_code(void *context, uint64_t address) {
    const image_entry *entry = find_image(address);
    if (entry != NULL) return entry->is_frameless ? ctrackway_code_frameless : ctrackway_code_framed;
    // If the process dies before the table is complete, all readable memory counts as code.
    unsigned char byte;
    bool is_believed =
        __atomic_load_n(&is_complete, __ATOMIC_ACQUIRE) == 0 && crash_read_memory(context, address, &byte, 1);
    return is_believed ? ctrackway_code_framed : ctrackway_code_none;
}

bool crash_images_function(void *context, uint64_t address, uint64_t *first, uint64_t *last) {
    const image_entry *entry = find_image(address);
    return entry != NULL && ctrackway_macho_function(crash_read_memory, context, &entry->image, address, first, last);
}

void crash_images_use(uint64_t address) {
    image_entry *entry = find_image(address);
    if (entry != NULL) __atomic_store_n(&entry->is_used, 1, __ATOMIC_RELAXED);
}

void crash_images_use_none(void) {
    image_cursor cursor = all_images();
    for (image_entry *entry = next_image(&cursor); entry != NULL; entry = next_image(&cursor)) {
        __atomic_store_n(&entry->is_used, entry->image.is_executable, __ATOMIC_RELAXED);
    }
}

// MARK: Lines

/// Writes the lines of one image, at most 1,600 bytes.
///
/// They contain its address range and properties, then data for newer readers.
static size_t put_image(char *line, const image_entry *entry, const char *path, size_t path_length) {
    const ctrackway_image *image = &entry->image;
    size_t at = crash_put_text(line, 0, "module ");
    at = crash_put_number(line, at, image->base, 16);
    line[at++] = ' ';
    at = crash_put_number(line, at, image->first, 16);
    line[at++] = ' ';
    at = crash_put_number(line, at, image->last, 16);
    line[at++] = ' ';
    at = crash_put_text(line, at, image->build[0] == 0 ? "-" : image->build);
    line[at++] = ' ';
    memcpy(line + at, path, path_length);
    at += path_length;
    line[at++] = '\n';
    if (image->architecture[0] == 0) return at;
    at = crash_put_text(line, at, "image ");
    at = crash_put_number(line, at, image->base, 16);
    line[at++] = ' ';
    at = crash_put_text(line, at, image->architecture);
    at = crash_put_text(line, at, image->is_executable ? " executable\n" : " library\n");
    return at;
}

void crash_images_emit(void) {
    static char line[LONGEST_PATH + 400];
    static char path[LONGEST_PATH];
    image_cursor cursor = all_images();
    for (image_entry *entry = next_image(&cursor); entry != NULL; entry = next_image(&cursor)) {
        if (entry->is_in_file || __atomic_load_n(&entry->is_used, __ATOMIC_RELAXED) == 0) continue;
        size_t length = 0;
        // The loader's memory may be corrupt.
        while (length < sizeof path && entry->path != NULL) {
            if (!crash_read_memory(NULL, (uint64_t)(uintptr_t)entry->path + length, path + length, 1)) break;
            if (path[length] == 0 || path[length] == '\n') break;
            length++;
        }
        if (length == 0) path[length++] = '?';
        crash_emit(line, put_image(line, entry, path, length));
    }
}

/// A buffer of lines for a file, written when it is full.
typedef struct image_lines {
    int file;
    size_t count;
    char bytes[16384];
} image_lines;

static void flush_lines(image_lines *lines) {
    crash_report_write_all(lines->file, lines->bytes, lines->count);
    lines->count = 0;
}

static void add_line(image_lines *lines, const image_entry *entry, const char *path) {
    size_t length = strnlen(path, LONGEST_PATH);
    if (lines->count + LONGEST_PATH + 400 > sizeof lines->bytes) flush_lines(lines);
    lines->count += put_image(lines->bytes + lines->count, entry, path, length);
}

static void end_lines(image_lines *lines, int place) {
    static const char ready[] = "ready\n";
    if (lines->count + sizeof ready > sizeof lines->bytes) flush_lines(lines);
    memcpy(lines->bytes + lines->count, ready, sizeof ready - 1);
    lines->count += sizeof ready - 1;
    flush_lines(lines);
    crash_report_settle(place);
}

#if defined(__linux__)
// MARK: Linux

static bool is_known_frameless(const char *path) {
    const char *name = strrchr(path, '/');
    name = name == NULL ? path : name + 1;
    return strncmp(name, "libc.", 5) == 0 || strncmp(name, "libc-", 5) == 0 || strncmp(name, "libm", 4) == 0
        || strncmp(name, "ld-", 3) == 0 || strncmp(name, "libpthread", 10) == 0;
}

static void read_build(const struct dl_phdr_info *module, const ElfW(Phdr) * note, char *build, size_t capacity) {
    const char *at = (const char *)(module->dlpi_addr + note->p_vaddr);
    const char *end = at + note->p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
        const ElfW(Nhdr) *header = (const ElfW(Nhdr) *)at;
        const char *name = at + sizeof *header;
        const unsigned char *bytes = (const unsigned char *)name + ((header->n_namesz + 3u) & ~3u);
        if ((const char *)bytes + header->n_descsz > end) return;
        if (header->n_type == NT_GNU_BUILD_ID && header->n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
            size_t written = 0;
            for (unsigned index = 0; index < header->n_descsz && written + 3 < capacity; index++) {
                build[written++] = "0123456789abcdef"[bytes[index] >> 4];
                build[written++] = "0123456789abcdef"[bytes[index] & 15];
            }
            build[written] = 0;
            return;
        }
        at = (const char *)bytes + ((header->n_descsz + 3u) & ~3u);
    }
}

static int add_loaded(struct dl_phdr_info *module, size_t size, void *context) {
    (void)size;
    image_lines *lines = context;
    char own[1024] = "";
    const char *path = module->dlpi_name;
    if (path == NULL || path[0] == 0) {
        ssize_t count = readlink("/proc/self/exe", own, sizeof own - 1);
        path = count > 0 ? own : "main";
    }
    ctrackway_image image = {.base = module->dlpi_addr, .first = UINT64_MAX};
    for (int index = 0; index < module->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &module->dlpi_phdr[index];
        if (header->p_type == PT_NOTE && image.build[0] == 0) {
            read_build(module, header, image.build, sizeof image.build);
        }
        if (header->p_type != PT_LOAD || (header->p_flags & PF_X) == 0) continue;
        uint64_t start = module->dlpi_addr + header->p_vaddr;
        if (start < image.first) image.first = start;
        if (start + header->p_memsz > image.last) image.last = start + header->p_memsz;
    }
    image_entry *entry = image.last > 0 ? allocate_image() : NULL;
    if (entry == NULL) return 0;
    *entry = (image_entry){.image = image, .is_frameless = is_known_frameless(path), .is_in_file = true};
    __atomic_store_n(&image_count, image_count + 1, __ATOMIC_RELEASE);
    add_line(lines, entry, path);
    return 0;
}

void crash_images_begin(int place) {
    image_lines lines = {.file = crash_report_file(place)};
    pthread_mutex_lock(&adding);
    // Images that were unloaded since the last time are removed.
    __atomic_store_n(&image_count, 0, __ATOMIC_RELEASE);
    dl_iterate_phdr(add_loaded, &lines);
    __atomic_store_n(&is_complete, 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&adding);
    end_lines(&lines, place);
}
#else
// MARK: Apple systems

static bool read_mapped(void *context, uint64_t address, void *to, size_t count) {
    (void)context;
    memcpy(to, (const void *)(uintptr_t)address, count);
    return true;
}

static bool has_name(const char *path, const char *name) {
    const char *slash = strrchr(path, '/');
    return strcmp(slash == NULL ? path : slash + 1, name) == 0;
}

/// Adds an image to the table.
///
/// The loader calls it for images that are already loaded when it is registered, and later on any thread that loads an
/// image. The loader's locks are held, so nothing here may wait for a thread that needs them.
static void image_added(const struct mach_header *header, intptr_t slide) {
    (void)slide;
    ctrackway_image image;
    if (!ctrackway_macho_read(read_mapped, NULL, (uint64_t)(uintptr_t)header, &image)) return;
    Dl_info found;
    const char *path = dladdr(header, &found) != 0 ? found.dli_fname : NULL;
    pthread_mutex_lock(&adding);
    image_entry *entry = NULL;
    // Reuse the entry of an unloaded image, if any.
    image_block *block = &first_block;
    for (uint32_t at = 0; at < image_count && entry == NULL; at++) {
        if (block->entries[at % BLOCK].is_gone != 0) entry = &block->entries[at % BLOCK];
        if (at % BLOCK == BLOCK - 1) block = block->next;
    }
    bool is_new = entry == NULL;
    if (is_new) entry = allocate_image();
    if (entry != NULL) {
        entry->image = image;
        entry->path = path;
        entry->is_swift_runtime = path != NULL && has_name(path, "libswiftCore.dylib");
        __atomic_store_n(&entry->is_used, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&entry->is_gone, 0, __ATOMIC_RELEASE);
        if (is_new) __atomic_store_n(&image_count, image_count + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&adding);
}

static void image_removed(const struct mach_header *header, intptr_t slide) {
    (void)slide;
    pthread_mutex_lock(&adding);
    image_cursor cursor = all_images();
    for (image_entry *entry = next_image(&cursor); entry != NULL; entry = next_image(&cursor)) {
        if (entry->image.base == (uint64_t)(uintptr_t)header) __atomic_store_n(&entry->is_gone, 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&adding);
}

static void follow_loader(void) {
    _dyld_register_func_for_add_image(image_added);
    _dyld_register_func_for_remove_image(image_removed);
    __atomic_store_n(&is_complete, 1, __ATOMIC_RELEASE);
}
static pthread_once_t following = PTHREAD_ONCE_INIT;

static void write_images(void *context) {
    int place = (int)(intptr_t)context;
    // Not under our lock: a thread that loads an image may hold the loader's lock and wait for ours.
    pthread_once(&following, follow_loader);
    crash_lock();
    image_lines lines = {.file = crash_report_file(place)};
    if (lines.file >= 0) {
        image_cursor cursor = all_images();
        for (image_entry *entry = next_image(&cursor); entry != NULL; entry = next_image(&cursor)) {
            if (!entry->image.is_system && entry->path != NULL) add_line(&lines, entry, entry->path);
        }
        end_lines(&lines, place);
    }
    crash_unlock();
}

void crash_images_begin(int place) {
    // If the process cannot create more threads, all readable memory counts as code, and no image is listed.
    (void)ctrackway_thread_start("trackway.images", write_images, (void *)(intptr_t)place);
}

/// The beginning of a library's note about the end of the process.
///
/// It has 64-bit members on every processor: a version, a message, a signature, a stack, a second message.
typedef struct annotations {
    uint64_t version, message, signature, stack, message2;
} annotations;

void crash_images_emit_messages(void) {
    // The messages of the Swift runtime come first: they state the cause, others the consequences.
    const char *key = "message";
    int count = 0;
    for (int turn = 0; turn < 2; turn++) {
        image_cursor cursor = all_images();
        for (image_entry *entry = next_image(&cursor); entry != NULL && count < 4; entry = next_image(&cursor)) {
            annotations said;
            if (entry->image.annotations == 0 || entry->is_swift_runtime != (turn == 0)) continue;
            if (!crash_read_memory(NULL, entry->image.annotations, &said, sizeof said)) continue;
            const uint64_t texts[] = {said.message, said.message2};
            for (int index = 0; index < 2; index++) {
                if (!crash_emit_text(key, texts[index])) continue;
                key = "also";
                count++;
            }
        }
    }
}
#endif
#endif
