// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// The part of CryptoKit that the SDK uses, as Apple documents it. Declarations only; this code never runs.

@_exported import Foundation

public protocol ContiguousBytesKey {}

public struct SymmetricKey: Sendable {
    public init<D: ContiguousBytes>(data: D) { stub() }
    public var bitCount: Int { stub() }
}

public enum AES {
    public enum GCM {
        public struct Nonce: Sendable {
            public init() { stub() }
            public init<D: DataProtocol>(data: D) throws { stub() }
        }

        public struct SealedBox: Sendable {
            public var nonce: Nonce { stub() }
            public var tag: Data { stub() }
            public var ciphertext: Data { stub() }
            public var combined: Data? { stub() }
            public init<C: DataProtocol, T: DataProtocol>(nonce: Nonce, ciphertext: C, tag: T) throws { stub() }
            public init<D: DataProtocol>(combined: D) throws { stub() }
        }

        public static func seal<P: DataProtocol, A: DataProtocol>(
            _ message: P,
            using key: SymmetricKey,
            nonce: Nonce? = nil,
            authenticating authenticatedData: A
        ) throws -> SealedBox { stub() }
        public static func seal<P: DataProtocol>(
            _ message: P,
            using key: SymmetricKey,
            nonce: Nonce? = nil
        ) throws -> SealedBox { stub() }
        public static func open<A: DataProtocol>(
            _ sealedBox: SealedBox,
            using key: SymmetricKey,
            authenticating authenticatedData: A
        ) throws -> Data { stub() }
        public static func open(_ sealedBox: SealedBox, using key: SymmetricKey) throws -> Data { stub() }
    }
}

public struct SHA256Digest: Sequence, Sendable {
    public func makeIterator() -> Array<UInt8>.Iterator { stub() }
}

public struct SHA256: Sendable {
    public init() { stub() }
    public static func hash<D: DataProtocol>(data: D) -> SHA256Digest { stub() }
    public mutating func update<D: DataProtocol>(data: D) { stub() }
    public func finalize() -> SHA256Digest { stub() }
}

func stub() -> Never { fatalError() }
