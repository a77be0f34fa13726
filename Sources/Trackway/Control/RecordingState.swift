// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayCore

/// The state of the SDK that recording checks.
///
/// The state is one word that is read without a lock. `@unchecked Sendable`: the word's address never changes during
/// this object's lifetime, and the word is read and written with atomic operations only.
package final class RecordingState: @unchecked Sendable {
    /// The word's bits.
    package struct State: OptionSet, Sendable, Equatable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        // Computed, because a stored constant is initialized at its first use, in unoptimized builds under a lock of
        // Swift's runtime, which another thread may have held when the process was forked.

        /// Events may be recorded.
        package static var isOpen: State { State(rawValue: 1) }
        /// Each recorded event is also written to the log.
        package static var logsEvents: State { State(rawValue: 2) }
        /// The app has shut the SDK down.
        package static var isShutDown: State { State(rawValue: 4) }
        /// The app has disabled the SDK.
        package static var isDisabled: State { State(rawValue: 8) }
        /// The app's start has not been recorded yet.
        package static var startPending: State { State(rawValue: 16) }
        /// The app's closure adds attributes to each event.
        package static var addsAttributes: State { State(rawValue: 32) }
        /// Destinations that lack consent are left out.
        package static var excludesDestinations: State { State(rawValue: 128) }
        /// The collection policy blocks some events.
        package static var blocksEvents: State { State(rawValue: 64) }
        /// The app's interceptors see events before they are recorded.
        package static var intercepts: State { State(rawValue: 256) }
        /// Heartbeats are suspended; the next event resumes them.
        package static var heartbeatSuspended: State { State(rawValue: 512) }
        /// The process is a forked child, which records nothing.
        ///
        /// Its parent created this object.
        package static var isForked: State { State(rawValue: 2048) }
        /// User activity is tracked, because sessions can end in the foreground.
        ///
        /// Set only while the app is in the foreground.
        package static var tracksActivity: State { State(rawValue: 4096) }
        /// Events may be recorded, with activity tracking as the only special case.
        static var isOpenWithActivityTracking: State { State(rawValue: 4097) }
        /// The context that events share has not been read yet.
        ///
        /// It must be read before the first event.
        package static var contextIncomplete: State { State(rawValue: 1024) }
    }

    private let word: UnsafeMutablePointer<UInt32>
    private let fork = ForkDetector()

    /// Creates an object in the given state.
    package init(_ state: State) {
        word = .allocate(capacity: 1)
        word.initialize(to: state.rawValue)
        // Set before the child continues, so that recording there need not check the process id.
        ctrackway_fork_set(word, State.isForked.rawValue)
    }

    deinit {
        ctrackway_fork_unset(word)
        word.deallocate()
    }

    /// Whether the caller is a forked child of the process that created this object.
    ///
    /// Costs one load.
    var isForked: Bool { ctrackway_load_acquire(word) & State.isForked.rawValue != 0 }

    /// The current state.
    ///
    /// A call of `record` that began before a change may still see the previous state.
    package var state: State {
        get { State(rawValue: ctrackway_load_acquire(word)) }
        set { ctrackway_store_release(word, (fork.isInChild ? State.isForked : newValue).rawValue) }
    }
}
