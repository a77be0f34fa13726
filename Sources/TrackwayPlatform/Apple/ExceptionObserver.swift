// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(ObjectiveC)
internal import Foundation
internal import TrackwayEvents

/// Hears of uncaught exceptions of Objective-C, until it is let go of, and keeps their words and return addresses for the report of
/// the SIGABRT that follows. Whoever heard of them before still does, after us.
///
/// There is one handler in a process: ours goes in with the first observer and out with the last (``HandlerChain``).
final class ExceptionObserver: Sendable {
    /// A handler, as its address.
    private static let chain = Locked(HandlerChain())

    init() {
        Self.chain.withLock { chain in
            if chain.begin(under: Self.installed) { NSSetUncaughtExceptionHandler(uncaught) }
        }
    }

    deinit {
        Self.chain.withLock { chain in
            if let previous = chain.end(under: Self.installed, ours: Self.address(uncaught)) {
                NSSetUncaughtExceptionHandler(Self.handler(previous))
            }
        }
    }

    fileprivate typealias Handler = @convention(c) (NSException) -> Void

    /// Runs while the exception is thrown, not in a signal handler: memory may be asked for.
    fileprivate static func heard(_ exception: NSException) {
        let (isWanted, previous) = chain.withLock { ($0.isWanted, $0.previous) }
        if isWanted {
            let text = "\(exception.name.rawValue): \(exception.reason ?? "")"
            CrashCapture.note(exception: text, thrownAt: exception.callStackReturnAddresses.map(\.uint64Value))
        }
        handler(previous)?(exception)
    }

    private static var installed: UInt { address(NSGetUncaughtExceptionHandler()) }

    private static func address(_ handler: Handler?) -> UInt { unsafeBitCast(handler, to: UInt.self) }

    private static func handler(_ address: UInt) -> Handler? { unsafeBitCast(address, to: Handler?.self) }
}

/// The handler, of the kind that C knows.
private func uncaught(_ exception: NSException) {
    ExceptionObserver.heard(exception)
}
#endif
