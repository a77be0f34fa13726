// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import CollectorJetStream
internal import TrackwayCommand
internal import TrackwayCore

/// The key with which a cluster recognizes erased users and signs receipts.
struct ErasureKeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            File with the key that recognizes erased users and signs receipts, the same for all collectors and \
            forwarders. `trackway-cluster cluster init` creates it.
            """,
            valueName: "file"
        )
    )
    var erasureKey: String?

    /// Returns the key; nil if no file was given.
    ///
    /// - Throws: ``CommandFailure`` if the file cannot be used.
    func key() throws(CommandFailure) -> ErasureKey? {
        guard let erasureKey else { return nil }
        let bytes = try SecretFile(path: erasureKey, option: "--erasure-key").read()
        let text = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
        if let key = ErasureKey(text) { return key }
        throw CommandFailure(
            .malformedInput,
            "the file \(erasureKey) contains no erasure key",
            remedy: "restore the file from a backup, or copy it from another collector of this cluster"
        )
    }

    /// Returns the key, which is created if the file is missing; nil if no file was given.
    ///
    /// - Throws: ``CommandFailure`` if the file cannot be read or created.
    func makeKey() throws(CommandFailure) -> ErasureKey? {
        guard let erasureKey else { return nil }
        do {
            return try ErasureKey.open(erasureKey, randomUInt64: CollectorHost.randomUInt64)
        } catch {
            throw CommandFailure(
                .cannotCreate,
                "the erasure key \(erasureKey) cannot be read or created: \(error)",
                remedy: "pass a file in an existing folder with --erasure-key"
            )
        }
    }
}

extension Engine {
    /// The maximum number of attempts to open the erasures, one per second.
    private static let openingAttempts = 60

    /// Opens the cluster's erasures.
    ///
    /// Waits up to a minute for NATS, such as while it elects a leader.
    ///
    /// - Parameter erasures: The erasures, with the key of this process; nil without a key.
    /// - Returns: The erasures; nil without a key.
    /// - Throws: ``CommandFailure`` if the cluster has another key, if it has one and this process has none, or if NATS
    ///   does not answer.
    func openErasures(_ erasures: ErasureStream?) async throws(CommandFailure) -> ErasureStream? {
        var attempt = 1
        while true {
            do {
                if let erasures {
                    try await erasures.open()
                    return erasures
                }
                guard try await hasErasureKey() else { return nil }
                break
            } catch {
                guard !error.isPermanent, attempt < Self.openingAttempts, !Task.isCancelled else {
                    throw CommandFailure(
                        error.isPermanent ? .cannotCreate : .unavailable,
                        "\(error)",
                        remedy: error.isPermanent
                            ? "pass the cluster's erasure key with --erasure-key to every collector and forwarder"
                            : "`trackway-cluster cluster check` with the same options shows each server"
                    )
                }
                attempt += 1
                await CollectorHost.sleep(.seconds(1))
            }
        }
        throw CommandFailure(
            .cannotCreate,
            "this cluster has an erasure key, without which erased users are not recognized",
            remedy: "pass its file with --erasure-key; collectors also need --no-index"
        )
    }
}
