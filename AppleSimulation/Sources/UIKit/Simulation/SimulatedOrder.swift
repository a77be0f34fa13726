// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if !canImport(ObjectiveC)
public import Foundation

/// The order of appearance notifications, which Apple does not guarantee and which differs between systems and
/// versions.
///
/// Code that counts screens must have the same result in every order, so its tests run in all of them.
public struct SimulatedOrder: Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// Whether the appearing screen is notified before the disappearing one (firebase-ios-sdk 4838 for SwiftUI).
    public var appearingFirst: Bool
    /// Whether SwiftUI views appear when their controller's view is about to appear, rather than after it has appeared
    /// (same source).
    public var viewsFirst: Bool

    /// Creates an order.
    public init(appearingFirst: Bool = false, viewsFirst: Bool = false) {
        self.appearingFirst = appearingFirst
        self.viewsFirst = viewsFirst
    }

    /// All orders.
    public static let allCases: [SimulatedOrder] = [
        .init(), .init(appearingFirst: true), .init(viewsFirst: true), .init(appearingFirst: true, viewsFirst: true),
    ]

    /// A description of the order.
    public var description: String {
        "\(appearingFirst ? "appearing" : "disappearing") first, \(viewsFirst ? "views before" : "views after") their controller"
    }
}
#endif
