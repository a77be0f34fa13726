// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A payment method.
package enum Payment: String, Sendable, Hashable, CaseIterable {
    case card
    case invoice
    case voucher

    /// The title on the form.
    package var title: String {
        switch self {
        case .card: "Card"
        case .invoice: "Invoice"
        case .voucher: "Gift voucher"
        }
    }
}
