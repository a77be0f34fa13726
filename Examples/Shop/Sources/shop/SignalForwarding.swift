// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The result of passing a signal on.
enum ForwardingResult {
    /// The previous handler ran, or the signal is ignored.
    case done
    /// The signal had no handler: the default action must be applied.
    case noHandler
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
    func forward(
        _ number: Int32,
        _ information: UnsafeMutablePointer<siginfo_t>?,
        _ machine: UnsafeMutableRawPointer?
    ) -> ForwardingResult {
        #if canImport(Darwin)
        let handler = __sigaction_u.__sa_sigaction
        #elseif canImport(Glibc)
        let handler = __sigaction_handler.sa_sigaction
        #else
        let handler = __sa_handler.sa_sigaction
        #endif
        // "Default" and "ignore" are represented by the addresses 0 and 1 instead of a handler.
        switch unsafeBitCast(handler, to: Int.self) {
        case 0: return .noHandler
        case 1: return .done
        default: handler?(number, information, machine)
        }
        return .done
    }
}
