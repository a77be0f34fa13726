// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension LaunchMachine {
    /// An order to the coordinator.
    package enum Action: Sendable, Hashable {
        /// Tell of a start.
        case start(Start)
        /// Tell of an exit.
        case exit(Exit)
    }

    /// One start of the app.
    package struct Start: Sendable, Hashable {
        /// How it was started.
        package var kind: StartKind
        /// True for the first start of the process that the user sees.
        package var isFirstOfProcess: Bool
        /// True for the first start of the installation.
        package var isFirstEver: Bool
        /// True when the process was in the background before.
        package var resumedFromBackground: Bool

        /// A start of these parts.
        package init(kind: StartKind, isFirstOfProcess: Bool, isFirstEver: Bool, resumedFromBackground: Bool) {
            self.kind = kind
            self.isFirstOfProcess = isFirstOfProcess
            self.isFirstEver = isFirstEver
            self.resumedFromBackground = resumedFromBackground
        }
    }

    /// One exit of the app: the end of a stretch in the foreground.
    package struct Exit: Sendable, Hashable {
        /// How long the stretch lasted, time without events included.
        package var duration: Duration
        /// When it ended.
        package var at: DeviceTime
        /// True when nobody could tell of it at its time, because the process was killed.
        package var isRecovered: Bool

        /// An exit of these parts.
        package init(duration: Duration, at: DeviceTime, isRecovered: Bool) {
            self.duration = duration
            self.at = at
            self.isRecovered = isRecovered
        }
    }
}
