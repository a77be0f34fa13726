// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if !canImport(ObjectiveC)
public import Foundation

/// The order in which screens are told that they come and go, where Apple promises none, and systems and versions differ.
///
/// Code that counts screens has to come to the same result in each of them, so a test of such code runs in all.
public struct SimulatedOrder: Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// Whether the screen that comes is told before the one that goes (firebase-ios-sdk 4838 for SwiftUI).
    public var comingFirst: Bool
    /// Whether SwiftUI's views appear while their controller's view is about to, and not only after it did (the same).
    public var viewsFirst: Bool

    /// An order.
    public init(comingFirst: Bool = false, viewsFirst: Bool = false) {
        self.comingFirst = comingFirst
        self.viewsFirst = viewsFirst
    }

    /// Every order.
    public static let allCases: [SimulatedOrder] = [
        .init(), .init(comingFirst: true), .init(viewsFirst: true), .init(comingFirst: true, viewsFirst: true),
    ]

    /// The order in words.
    public var description: String {
        "\(comingFirst ? "coming" : "going") first, \(viewsFirst ? "views before" : "views after") their controller"
    }
}
#endif
