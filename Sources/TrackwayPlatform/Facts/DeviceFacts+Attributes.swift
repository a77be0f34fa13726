// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

extension DeviceFacts {
    /// The facts as the `device` section of an event's context; an absent fact has no key.
    package var attributes: Attributes {
        var section = Attributes()
        func put(_ key: String, _ value: AttributeValue?) {
            guard let value else { return }
            section[key] = value
        }
        put("id", identity.map { .string($0) })
        put("platform", platform.map { .string($0) })
        put("os_id", systemID.map { .string($0) })
        put("os_name", systemName.map { .string($0) })
        put("os_version", systemVersion.map { .string($0) })
        put("kernel_version", kernelVersion.map { .string($0) })
        put("architecture", architecture.map { .string($0) })
        put("make", make.map { .string($0) })
        put("model", model.map { .string($0) })
        put("cores", cores.map { .integer(Int64($0)) })
        put("memory_bytes", memoryBytes.map { .integer($0) })
        put("locale", locale.map { .string($0) })
        put("zone", zone.map { .string($0) })
        put("zone_offset_seconds", zoneOffsetSeconds.map { .integer(Int64($0)) })
        put("screen_width", screen.map { .integer(Int64($0.width)) })
        put("screen_height", screen.map { .integer(Int64($0.height)) })
        put("battery_level", battery?.level.map { .double($0) })
        put("battery_state", battery?.state.map { .string($0.rawValue) })
        put("network", network?.kind.map { .string($0.rawValue) })
        if let interfaces = network?.interfaces, !interfaces.isEmpty {
            put("network_interfaces", .array(interfaces.map { .string($0) }))
        }
        return section
    }
}
