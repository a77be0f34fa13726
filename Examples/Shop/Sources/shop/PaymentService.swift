// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Takes payments.
///
/// Every payment succeeds, after a delay like that of a bank.
enum PaymentService {
    /// Returns when the payment has succeeded.
    static func takePayment(after time: Duration = .milliseconds(50)) async {
        // This task is never canceled.
        try? await Task.sleep(for: time)
    }
}
