// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// What passing a signal on came to.
enum PassedOn {
    /// The handler before did its part, or the signal is ignored.
    case done
    /// Nobody handled the signal before: its default action is owed.
    case nobody
}

extension sigaction {
    typealias Handler = @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void

    /// Sets the handler.
    mutating func handle(_ handler: Handler) {
        #if canImport(Darwin)
        __sigaction_u.__sa_sigaction = handler
        #elseif canImport(Glibc)
        __sigaction_handler.sa_sigaction = handler
        #else
        __sa_handler.sa_sigaction = handler
        #endif
    }

    /// Calls the handler of this action.
    func passOn(
        _ number: Int32,
        _ information: UnsafeMutablePointer<siginfo_t>?,
        _ machine: UnsafeMutableRawPointer?
    ) -> PassedOn {
        #if canImport(Darwin)
        let handler = __sigaction_u.__sa_sigaction
        #elseif canImport(Glibc)
        let handler = __sigaction_handler.sa_sigaction
        #else
        let handler = __sa_handler.sa_sigaction
        #endif
        // "Default" and "ignore" are the addresses 0 and 1 in place of a handler.
        switch unsafeBitCast(handler, to: Int.self) {
        case 0: return .nobody
        case 1: return .done
        default: handler?(number, information, machine)
        }
        return .done
    }
}
