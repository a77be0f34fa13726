// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Writes Prometheus' text format, version 0.0.4.
struct PrometheusText {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    /// A number that only grows.
    mutating func counter(_ name: String, _ help: String, _ value: UInt64) {
        head(name, help, "counter")
        text += "\(name) \(value)\n"
    }

    /// A number that comes and goes.
    mutating func gauge(_ name: String, _ help: String, _ value: Int) {
        head(name, help, "gauge")
        text += "\(name) \(value)\n"
    }

    /// Numbers that only grow, one per value of a label.
    mutating func counters(_ name: String, _ help: String, _ label: String, _ values: [(String, UInt64)]) {
        head(name, help, "counter")
        for (value, count) in values { text += "\(name){\(label)=\"\(Self.escaped(value))\"} \(count)\n" }
    }

    /// How long something took: how many within each bound, all of them, and the time altogether.
    mutating func histogram(
        _ name: String,
        _ help: String,
        buckets: [(bound: Duration, count: UInt64)],
        count: UInt64,
        sum: Duration
    ) {
        head(name, help, "histogram")
        var within: UInt64 = 0
        for bucket in buckets {
            within += bucket.count
            text += "\(name)_bucket{le=\"\(Self.seconds(bucket.bound))\"} \(within)\n"
        }
        text += "\(name)_bucket{le=\"+Inf\"} \(count)\n"
        text += "\(name)_sum \(Self.seconds(sum))\n\(name)_count \(count)\n"
    }

    private mutating func head(_ name: String, _ help: String, _ type: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    private static func escaped(_ value: String) -> String {
        var escaped = ""
        for character in value {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.append(character)
            }
        }
        return escaped
    }

    private static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }
}
