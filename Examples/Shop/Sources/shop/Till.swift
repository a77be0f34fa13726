// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Takes payments. This one always says yes, after the time that talking to a bank takes at the very least.
enum Till {
    /// Returns when the payment came through.
    static func takePayment(after time: Duration = .milliseconds(50)) async {
        // Nobody cancels a payment.
        try? await Task.sleep(for: time)
    }
}
