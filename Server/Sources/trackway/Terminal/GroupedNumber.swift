// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension BinaryInteger {
    /// The number for a person: `1,204,331`.
    var grouped: String {
        let digits = String(magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return self < 0 ? "-" + text : text
    }
}
