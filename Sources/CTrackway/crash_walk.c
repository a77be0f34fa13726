// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// Walks a stack by its frame pointers. Everything here can run inside a signal handler: it allocates no memory, takes
// no lock, and keeps no state. The stack, which may be corrupt, is read through the given function.

#include "CTrackwayCrash.h"

/// A frame record: the caller's record and the return address.
typedef struct frame_record {
    /// Its address.
    uint64_t at;
    /// The address of the caller's record.
    uint64_t next;
    uint64_t caller;
    /// Whether it belongs to an async function.
    ///
    /// The function's context is below the record.
    bool is_async;
} frame_record;

/// The limits of the search for calls on the stack.
///
/// They are the range that is searched, in bytes, and the maximum number of guessed calls.
#define GUESSED_BYTES 2048
#define GUESSED_CALLS 24
/// The maximum number of async callers.
#define AWAITING 32

uint64_t ctrackway_address_mask(void) {
#if defined(__aarch64__)
    // A processor that signs pointers knows the number of bits of an address. `xpaclri` removes the signature from the
    // link register; other processors treat the instruction as a hint and leave all bits. User addresses have bit 55
    // clear.
    register uint64_t address __asm__("x30") = 0x007FFFFFFFFFFFFFull;
    __asm__("hint #7" : "+r"(address));
    // No user address is longer on any known system.
    return address & 0x0000FFFFFFFFFFFFull;
#else
    return UINT64_MAX;
#endif
}

static bool read_word(const ctrackway_walk *walk, uint64_t address, uint64_t *word) {
    if (address < 4096 || address % sizeof *word != 0) return false;
    return walk->read(walk->context, address, word, sizeof *word);
}

/// Reads a frame record: two readable words.
///
/// The second word must point into code.
static bool read_record(const ctrackway_walk *walk, uint64_t at, uint64_t above, frame_record *record) {
    uint64_t next, caller;
    if (at < above || !read_word(walk, at, &next) || !read_word(walk, at + sizeof next, &caller)) return false;
    *record = (frame_record){
        .at = at,
        .next = next & ~walk->frame_flags,
        .caller = caller & walk->address_mask,
        .is_async = (next & walk->frame_flags) != 0,
    };
    return walk->code(walk->context, record->caller) != ctrackway_code_none;
}

/// Whether a call instruction of x86 could have pushed the word.
///
/// The instruction must precede the word's address.
static bool follows_call(const ctrackway_walk *walk, uint64_t address) {
    unsigned char code[7];
    if (walk->code(walk->context, address) == ctrackway_code_none) return false;
    // The first bytes of a module have no preceding bytes, and a module may have been unloaded in the meantime.
    if (address < 4096 || !walk->read(walk->context, address - sizeof code, code, sizeof code)) return false;
    if (code[2] == 0xE8) return true;
    if (code[5] == 0xFF && (code[6] & 0x38) == 0x10) return true;
    if (code[4] == 0xFF && (code[5] & 0x38) == 0x10) return true;
    return code[1] == 0xFF && (code[2] & 0x38) == 0x10;
}

/// The state of a walk.
typedef struct walk_state {
    const ctrackway_walk *walk;
    int count;
    frame_record record;
    bool has_record;
} walk_state;

static void tell(walk_state *state, ctrackway_frame_kind kind, uint64_t address) {
    state->walk->frame(state->walk->context, kind, address);
    state->count++;
}

/// Reports a caller that is only in the link register.
///
/// If a function has no frame, or has not created it yet, its caller is in the link register. If it has a frame, either
/// it has called another function since, which returned into it, or its record contains the same address.
static void follow_link(walk_state *state, uint64_t pc, uint64_t link) {
    const ctrackway_walk *walk = state->walk;
    uint64_t first, last;
    if (walk->code(walk->context, link) == ctrackway_code_none) return;
    if (walk->code(walk->context, pc) != ctrackway_code_none) {
        if (state->has_record && state->record.caller == link) return;
        if (walk->function == NULL || !walk->function(walk->context, pc, &first, &last)) return;
        // The return address of a call that does not return may be after the end of its function.
        if (link - 1 >= first && link - 1 < last) return;
    }
    tell(state, ctrackway_frame_call, link);
}

/// Searches the stack for return addresses of frameless code on top.
///
/// The search ends at the first frame. Some of the addresses may be obsolete.
static void scan_for_calls(walk_state *state, uint64_t stack) {
    const ctrackway_walk *walk = state->walk;
    uint64_t word;
    for (uint64_t at = stack; at < stack + GUESSED_BYTES && state->count < GUESSED_CALLS; at += sizeof word) {
        frame_record near, far;
        if (!read_word(walk, at, &word)) break;
        if (state->has_record && at >= state->record.at) break;
        if (!state->has_record && read_record(walk, word, at, &near) && read_record(walk, near.next, word, &far)) {
            // This is the saved frame pointer of the nearest code with frames.
            state->record = near;
            state->has_record = true;
            if (read_word(walk, at + sizeof word, &word) && follows_call(walk, word)) {
                tell(state, ctrackway_frame_guess, word);
            }
            break;
        }
        if (follows_call(walk, word)) tell(state, ctrackway_frame_guess, word);
    }
}

/// Follows async callers, which are not on the stack.
///
/// Each context contains the function that resumes when it is done, and that function's context.
static void follow_contexts(walk_state *state, uint64_t context) {
    const ctrackway_walk *walk = state->walk;
    uint64_t parent, resumed;
    for (int turn = 0; turn < AWAITING && state->count < walk->limit; turn++) {
        if (!read_word(walk, context, &parent) || !read_word(walk, context + sizeof parent, &resumed)) return;
        resumed &= walk->address_mask;
        if (walk->code(walk->context, resumed) == ctrackway_code_none) return;
        tell(state, ctrackway_frame_awaiting, resumed);
        if ((parent & walk->address_mask) == context) return;
        context = parent & walk->address_mask;
    }
}

bool ctrackway_walk_stack(const ctrackway_walk *walk, ctrackway_registers registers) {
    walk_state state = {.walk = walk};
    uint64_t pc = registers.pc & walk->address_mask;
    uint64_t async_context = 0;
    tell(&state, ctrackway_frame_call, pc);
    ctrackway_code_kind kind = walk->code(walk->context, pc);
    uint64_t frame = registers.frame & ~walk->frame_flags, word;
    state.has_record = read_record(walk, frame, registers.stack, &state.record);
    if (walk->has_link) {
        follow_link(&state, pc, registers.link & walk->address_mask);
    } else if (kind == ctrackway_code_none) {
        // A call to an invalid address: the return address is on top of the stack.
        if (read_word(walk, registers.stack, &word) && walk->code(walk->context, word) != ctrackway_code_none) {
            tell(&state, ctrackway_frame_call, word);
        }
    } else if (kind == ctrackway_code_frameless) {
        scan_for_calls(&state, registers.stack);
    }
    while (state.has_record && state.count < walk->limit) {
        if (state.record.is_async && async_context == 0) {
            if (read_word(walk, state.record.at - sizeof word, &word)) async_context = word & walk->address_mask;
        }
        tell(&state, ctrackway_frame_call, state.record.caller);
        // A stack grows toward lower addresses, so every caller's frame is at a higher address; anything else is a
        // loop.
        state.has_record = read_record(walk, state.record.next, state.record.at + 2 * sizeof word, &state.record);
    }
    bool is_deeper = state.count >= walk->limit;
    if (async_context != 0) follow_contexts(&state, async_context);
    return is_deeper;
}
