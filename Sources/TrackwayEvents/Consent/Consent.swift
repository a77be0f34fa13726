// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What a person using the app has agreed to.
public enum Consent: String, Sendable, Hashable, Codable, CaseIterable {
    /// Not asked yet: events are kept on the device and sent to nobody.
    case pending
    /// Agreed: events are kept and sent.
    case granted
    /// Refused: nothing is recorded, and what was waiting is dropped and counted.
    case denied
}
