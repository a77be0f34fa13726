// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import Logging
internal import ServiceLifecycle

/// Looks about once a second whether the keys have changed, so that making and revoking keys needs no restart.
struct KeyReloading: Service {
    let keys: any KeyStore
    let logger: Logger

    func run() async throws {
        // Ends by cancellation, which is how a graceful shutdown arrives here.
        try? await cancelWhenGracefulShutdown {
            var complaint: KeyFileError?
            while true {
                try await ContinuousClock().sleep(for: .seconds(1))
                do throws(KeyFileError) {
                    try keys.reload()
                    complaint = nil
                } catch {
                    // Said once, not every second.
                    if error != complaint { logger.error("The keys known before stay in force: \(error)") }
                    complaint = error
                }
            }
        }
    }
}
