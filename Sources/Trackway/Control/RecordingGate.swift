// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayEvents

/// What the recording path must know about the SDK's state, in one word that it reads without a lock.
///
/// `@unchecked Sendable`: the word's address never changes while the gate lives, and it is read and written with atomic
/// operations only.
package final class RecordingGate: @unchecked Sendable {
    /// The word's bits.
    package struct State: OptionSet, Sendable, Hashable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        // Computed: a stored constant is made at its first use, in a build without optimization under a lock of Swift's runtime,
        // which another thread may have held when the process was forked.

        /// Events may be recorded.
        package static var isOpen: State { State(rawValue: 1) }
        /// Each recorded event is also written to the log.
        package static var logsEvents: State { State(rawValue: 2) }
        /// The app has shut the SDK down.
        package static var isShutDown: State { State(rawValue: 4) }
        /// The app has switched the SDK off.
        package static var isDisabled: State { State(rawValue: 8) }
        /// The app's start has not been recorded yet.
        package static var startPending: State { State(rawValue: 16) }
        /// A closure of the app adds attributes to each event.
        package static var addsAttributes: State { State(rawValue: 32) }
        /// Some destinations are left out, because consent is denied for them.
        package static var leavesOut: State { State(rawValue: 128) }
        /// Some events are not to be collected.
        package static var blocksEvents: State { State(rawValue: 64) }
        /// Interceptors of the app see events before they are recorded.
        package static var intercepts: State { State(rawValue: 256) }
        /// Heartbeats rest until something happens, and the next event is something.
        package static var heartbeatRests: State { State(rawValue: 512) }
        /// The process is a forked child of the one that made the gate: it records nothing.
        package static var isForked: State { State(rawValue: 2048) }
        /// Sessions can end in the foreground, and the app is there: activity is noted.
        package static var watchesActivity: State { State(rawValue: 4096) }
        /// Events may be recorded, and nothing else is unusual but that activity is noted.
        static var isOpenAndWatched: State { State(rawValue: 4097) }
        /// What events have in common is still to be read, before the first of them.
        package static var contextIncomplete: State { State(rawValue: 1024) }
    }

    private let word: UnsafeMutablePointer<UInt32>
    private let fork = ForkMark()

    /// Makes a gate in the given state.
    package init(_ state: State) {
        word = .allocate(capacity: 1)
        word.initialize(to: state.rawValue)
        // Set before the child goes on, so that recording there need not ask who it is.
        ctrackway_fork_set(word, State.isForked.rawValue)
    }

    deinit {
        ctrackway_fork_forget(word)
        word.deallocate()
    }

    /// Whether the caller is a forked child of the process that made the gate. A load.
    var isForked: Bool { ctrackway_load_acquire(word) & State.isForked.rawValue != 0 }

    /// The state now. A record that began before a change may still see the old one.
    package var state: State {
        get { State(rawValue: ctrackway_load_acquire(word)) }
        set { ctrackway_store_release(word, (fork.isInChild ? State.isForked : newValue).rawValue) }
    }
}
