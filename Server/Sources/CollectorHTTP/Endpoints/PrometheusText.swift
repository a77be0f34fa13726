// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// Writes the Prometheus text format, version 0.0.4.
struct PrometheusText {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    /// Writes the counts of requests and their outcomes.
    mutating func write(_ statistics: RequestStatistics) {
        counters(
            "trackway_http_answers_total",
            "Responses by status.",
            "status",
            statistics.responses.sorted { $0.key < $1.key }.map { (String($0.key), $0.value) }
        )
        counters(
            "trackway_http_refused_total",
            "Requests refused or failed, by error code.",
            "code",
            statistics.failures.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        )
        counter("trackway_batches_total", "Batches on stable storage.", statistics.batches)
        counter("trackway_events_accepted_total", "Events on stable storage.", statistics.accepted)
        counters(
            "trackway_events_rejected_total",
            "Events rejected individually, by code.",
            "code",
            statistics.rejected.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        )
        counters(
            "trackway_batches_refused_total",
            "Batches rejected as a whole, by code.",
            "code",
            statistics.refused.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        )
        counter(
            "trackway_quarantine_cut_total",
            "Batches rejected as a whole and only partially stored because of the quota.",
            statistics.quarantineCut
        )
        counter("trackway_bodies_busy_total", "Bodies refused for lack of memory.", statistics.busy)
        counter("trackway_wire_bytes_total", "Bytes of accepted bodies as sent.", statistics.wireBytes)
        counter("trackway_inflated_bytes_total", "Bytes of accepted bodies, decompressed.", statistics.inflatedBytes)
        write(statistics.keys)
    }

    /// Writes the counts of each key.
    private mutating func write(_ keys: [String: KeyStatistics]) {
        let sorted = keys.sorted { $0.key < $1.key }
        let figures: [(String, String, KeyPath<KeyStatistics, UInt64>)] = [
            ("batches", "Batches on stable storage, by key.", \.batches),
            ("events_accepted", "Events on stable storage, by key.", \.accepted),
            ("events_rejected", "Events rejected individually, by key.", \.rejected),
            ("wire_bytes", "Bytes of accepted bodies as sent, by key.", \.wireBytes),
            ("refused", "Requests refused or failed, by key.", \.refused),
        ]
        for (name, help, path) in figures {
            counters("trackway_key_\(name)_total", help, "key", sorted.map { ($0.key, $0.value[keyPath: path]) })
        }
    }

    /// Writes the state of the intake log.
    mutating func write(_ intake: IntakeStatistics, isReady: Bool) {
        gauge("trackway_ready", "1 while batches are accepted.", isReady ? 1 : 0)
        counter("trackway_intake_records_total", "Records on stable storage.", intake.records)
        counter("trackway_intake_bytes_total", "Bytes of records on stable storage.", intake.bytes)
        counter("trackway_intake_refused_total", "Records refused by the disk.", intake.refused)
        if let reserve = intake.reserve {
            gauge(
                "trackway_disk_reserve_bytes",
                "Bytes that must be free on the disk, or else batches are refused.",
                reserve
            )
        }
        gauge("trackway_intake_waiting", "Batches waiting for a flush.", intake.waiting)
        histogram(
            "trackway_intake_flush_seconds",
            "Duration of flushes to stable storage.",
            buckets: zip(IntakeStatistics.flushBounds, intake.flushCounts).map { ($0, $1) },
            count: intake.flushes,
            sum: intake.flushTime
        )
    }

    /// Writes the collector's known resource usage.
    mutating func write(_ use: ResourceUse) {
        for (name, help, value) in [
            (
                "trackway_disk_free_bytes", "Free bytes on the disk of the collector's folder.",
                use.diskFree
            ),
            ("trackway_disk_size_bytes", "Size of the disk of the collector's folder.", use.diskSize),
            ("trackway_log_bytes", "Bytes of the intake log.", use.log),
            ("trackway_index_bytes", "Bytes of the index.", use.index),
            ("trackway_index_wal_bytes", "Bytes of the index's write-ahead log.", use.writeAheadLog),
            ("process_resident_memory_bytes", "Resident memory of the process in bytes.", use.memory),
            ("process_open_fds", "Open file descriptors of the process.", use.descriptors),
        ] {
            if let value { gauge(name, help, Int(clamping: value)) }
        }
    }

    /// Writes the start time, response durations, and the index's lag.
    mutating func write(
        started: Timestamp,
        uptime: Duration,
        reads: DurationCounts,
        intakes: DurationCounts,
        delay: IndexDelay
    ) {
        head("process_start_time_seconds", "When the collector was started, in seconds since 1970.", "gauge")
        text += "process_start_time_seconds \(Double(started.milliseconds) / 1_000)\n"
        gauge("trackway_uptime_seconds", "Time since the collector was started.", uptime)
        gauge(
            "trackway_index_lag_seconds",
            "Age of the oldest data not read by the index, accurate to one scrape interval.",
            delay.time
        )
        gauge(
            "trackway_index_lag_batches",
            "Batches received since the start that the index has not read, accurate to one scrape interval.",
            Int(clamping: delay.records)
        )
        write("trackway_read_seconds", "Duration of responses to readers, except those that wait for events.", reads)
        write(
            "trackway_intake_seconds",
            "Duration of responses to senders, from a request's headers to events on stable storage.",
            intakes
        )
    }

    private mutating func write(_ name: String, _ help: String, _ durations: DurationCounts) {
        histogram(
            name,
            help,
            buckets: zip(DurationCounts.bounds, durations.counts).map { ($0, $1) },
            count: durations.count,
            sum: durations.sum
        )
    }

    /// Writes the number of connections, and of those closed to make room for others.
    mutating func write(connections: Int, limit: Int, evicted: UInt64) {
        gauge("trackway_connections_open", "Open connections.", connections)
        gauge("trackway_connections_limit", "Maximum number of open connections.", limit)
        counter("trackway_connections_evicted_total", "Connections closed to make room for others.", evicted)
    }

    /// Writes the states of alerts, and the counts of their deliveries.
    mutating func write(_ alerts: AlertStatistics) {
        gauge("trackway_alerts_firing", "Firing alerts.", alerts.states[.firing] ?? 0)
        gauge(
            "trackway_alerts_pending",
            "Alerts whose condition holds, but not yet for long enough.",
            alerts.states[.pending] ?? 0
        )
        gauge("trackway_alerts_unknown", "Alerts whose state is unknown.", alerts.states[.unknown] ?? 0)
        gauge("trackway_alerts_ok", "Alerts whose condition does not hold.", alerts.states[.ok] ?? 0)
        counter("trackway_alert_looks_total", "Alert evaluations.", alerts.evaluations)
        counter("trackway_alert_looks_unknown_total", "Alert evaluations without a result.", alerts.unknown)
        counter("trackway_alert_deliveries_total", "Attempts to deliver alert messages.", alerts.attempts)
        counter("trackway_alert_delivery_failures_total", "Failed attempts to deliver alert messages.", alerts.failures)
        gauge(
            "trackway_alert_deliveries_waiting",
            "Alert messages that have not been delivered yet.",
            alerts.pendingDeliveries
        )
    }

    /// Writes whether the index responds.
    mutating func write(isIndexUp: Bool) {
        gauge("trackway_index_up", "1 while the index responds.", isIndexUp ? 1 : 0)
    }

    /// Writes the contents of the index.
    mutating func write(_ totals: StoreTotals, lag: IndexLag) {
        gauge("trackway_index_events", "Distinct events in the index.", Int(clamping: totals.events))
        gauge("trackway_index_duplicates", "Duplicate events.", Int(clamping: totals.duplicates))
        gauge("trackway_index_failed", "Rejected events and batches in the index.", Int(clamping: totals.failed))
        gauge("trackway_index_damaged", "Damaged ranges of the intake log.", Int(clamping: totals.damaged))
        gauge(
            "trackway_index_erased_installations",
            "Installations that were erased.",
            Int(clamping: totals.erasedInstallations)
        )
        gauge(
            "trackway_index_erased_events",
            "Events of erased installations, removed or not stored.",
            Int(clamping: totals.erasedEvents)
        )
        gauge("trackway_index_following", "1 while the index follows the log.", totals.failureReason == nil ? 1 : 0)
        write(lag)
    }

    private mutating func write(_ lag: IndexLag) {
        var (segments, bytes) = (0, 0)
        switch lag {
        case .segments(let count): segments = count
        case .bytes(let count): bytes = count
        case .records(let count):
            gauge("trackway_index_lag_records", "Records of the stream that the index has not read.", max(0, count))
            return
        }
        gauge("trackway_index_lag_segments", "Log segments that the index has not finished reading.", segments)
        gauge("trackway_index_lag_bytes", "Bytes of the newest segment that the index has not read.", bytes)
    }

    // MARK: Metric types

    /// Writes a counter.
    mutating func counter(_ name: String, _ help: String, _ value: UInt64) {
        head(name, help, "counter")
        text += "\(name) \(value)\n"
    }

    /// Writes a gauge.
    mutating func gauge(_ name: String, _ help: String, _ value: Int) {
        head(name, help, "gauge")
        text += "\(name) \(value)\n"
    }

    /// Writes counters, one per value of a label.
    mutating func counters(_ name: String, _ help: String, _ label: String, _ values: [(String, UInt64)]) {
        head(name, help, "counter")
        for (value, count) in values { text += "\(name){\(label)=\"\(Self.escaped(value))\"} \(count)\n" }
    }

    /// Writes gauges, one per value of a label.
    mutating func gauges(_ name: String, _ help: String, _ label: String, _ values: [(String, Int)]) {
        head(name, help, "gauge")
        for (value, count) in values { text += "\(name){\(label)=\"\(Self.escaped(value))\"} \(count)\n" }
    }

    /// Writes a gauge for a duration.
    mutating func gauge(_ name: String, _ help: String, _ value: Duration) {
        head(name, help, "gauge")
        text += "\(name) \(Self.seconds(value))\n"
    }

    /// Writes a histogram of durations.
    ///
    /// The histogram contains the count for each bound, the total count, and the sum.
    private mutating func histogram(
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
