// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(ObjectiveC)
internal import Foundation
internal import TrackwayCore

/// Observes uncaught Objective-C exceptions until it is released.
///
/// The observer stores an exception's text and return addresses for the report of the SIGABRT that follows. A handler
/// installed earlier still runs, after ours. A process has one handler: ours is installed with the first observer and
/// removed with the last (``HandlerChain``).
final class ExceptionObserver: Sendable {
    /// The chain of handlers, each represented by its address.
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

    /// Stores an exception's text and return addresses.
    ///
    /// This function runs while the exception is thrown, not in a signal handler, so it may allocate memory.
    fileprivate static func handle(_ exception: NSException) {
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

/// The handler as a C function.
private func uncaught(_ exception: NSException) {
    ExceptionObserver.handle(exception)
}
#endif
