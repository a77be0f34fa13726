// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Trackway

/// The ways in which apps call `record`, all with the same ten values.
///
/// The values are created at run time before the call, so that the compiler cannot know them.
enum CallStyle: String, CaseIterable {
    /// Attributes created before the call.
    case prebuilt
    /// A literal of variables.
    case literal
    /// The same with three interpolated strings.
    case interpolated
    /// Filled by subscript, with run-time keys.
    case `subscript`
    /// From a sequence of pairs.
    case sequence
    /// From a dictionary of attribute values.
    case dictionary
    /// From a dictionary of values of any type.
    case any
    /// A typed event.
    case typed
    /// A literal of variables, and three items.
    case items
    /// A literal of variables while standard capture is on.
    case capture
    /// A literal of variables, and an interceptor that changes nothing.
    case unchanged
    /// A literal of variables, and an interceptor that removes one attribute.
    case attributeRemoved
    /// A literal of variables, and three interceptors that add one attribute each.
    case attributesAdded
    /// A literal of variables, encrypted.
    case encrypted

    private var features: FeatureSet {
        switch self {
        case .encrypted: .encrypted
        case .capture: .capture
        default: .off
        }
    }

    private var interceptors: [Interceptor] {
        switch self {
        case .unchanged: [Interceptor("unchanged") { _ in .keep }]
        case .attributeRemoved:
            [
                Interceptor("remove") { event in
                    event.attributes["search_term"] = nil
                    return .keep
                }
            ]
        case .attributesAdded:
            (1...3).map { number in
                let key = "added_\(number)"
                return Interceptor(key) { event in
                    event.attributes[key] = .integer(Int64(number))
                    return .keep
                }
            }
        default: []
        }
    }

    /// Returns an SDK instance for this style.
    func analytics(_ scratch: ScratchFolder) throws -> Analytics {
        try scratch.analytics(features, folder: "style-\(rawValue)", interceptors: interceptors)
    }

    /// Records one event.
    @inline(never)
    func record(_ sample: Sample, _ analytics: Analytics) {
        switch self {
        case .prebuilt: analytics.record(Sample.name, sample.attributes)
        case .literal, .capture, .unchanged, .attributeRemoved, .attributesAdded, .encrypted:
            sample.recordLiteral(analytics)
        case .interpolated: sample.recordInterpolated(analytics)
        case .subscript: sample.recordSubscript(analytics)
        case .sequence: analytics.record(Sample.name, Attributes(sample.pairs))
        case .dictionary: analytics.record(Sample.name, Attributes(sample.dictionary))
        case .any: analytics.record(Sample.name, Attributes(sample.any))
        case .typed: analytics.record(sample.typed)
        case .items: sample.recordItems(analytics)
        }
    }
}

/// The values of one event, in each form in which an app may have them.
struct Sample {
    static let name = "product_viewed"
    /// The number of different samples.
    static let number = 256
    static func all() -> [Sample] { (0..<number).map { Sample($0) } }

    let typed: ProductViewed
    let keys: [String]
    let values: [AttributeValue]
    let pairs: [(key: String, value: AttributeValue)]
    let dictionary: [String: AttributeValue]
    let any: [String: Any]
    let attributes: Attributes
    let items: [Item]

    init(_ index: Int) {
        pairs = Workload.attributes(index).map { (key: Self.copy($0.key), value: Self.copy($0.value)) }
        keys = pairs.map(\.key)
        values = pairs.map(\.value)
        attributes = Attributes(pairs)
        dictionary = Dictionary(uniqueKeysWithValues: pairs.map { ($0.key, $0.value) })
        any = dictionary.mapValues { $0.string ?? $0.boolean ?? $0.integer.map { Int($0) } ?? $0.double ?? 0 as Any }
        typed = ProductViewed(
            category: values[0].string ?? "",
            currency: values[1].string ?? "",
            price: values[2].double ?? 0,
            discounted: values[3].boolean ?? false,
            position: index % 40,
            screen_name: values[5].string ?? "",
            product_sku: values[6].string ?? "",
            search_term: values[7].string ?? "",
            campaign_source: values[8].string ?? "",
            visible_ratio: values[9].double ?? 0
        )
        items = (0..<3).map { Item(id: "SKU-\(index)-\($0)", name: "product \($0)") }
    }

    /// Returns a string that the compiler cannot know.
    private static func copy(_ text: String) -> String { String(decoding: Array(text.utf8), as: UTF8.self) }

    private static func copy(_ value: AttributeValue) -> AttributeValue {
        value.string.map { .string(copy($0)) } ?? value
    }

    @inline(__always)
    func recordLiteral(_ analytics: Analytics) {
        analytics.record(Self.name, typed.literal)
    }

    func recordItems(_ analytics: Analytics) {
        analytics.record(Self.name, typed.literal, items: items)
    }

    func recordInterpolated(_ analytics: Analytics) {
        let position = typed.position
        analytics.record(
            Self.name,
            [
                "category": typed.category,
                "currency": typed.currency,
                "price": typed.price,
                "discounted": typed.discounted,
                "position": position,
                "screen_name": "\(typed.screen_name) \(position)",
                "product_sku": "SKU-2026-AUTUMN-\(position)",
                "search_term": typed.search_term,
                "campaign_source": "newsletter-week-\(position)",
                "visible_ratio": typed.visible_ratio,
            ]
        )
    }

    func recordSubscript(_ analytics: Analytics) {
        var attributes = Attributes()
        for index in keys.indices { attributes[keys[index]] = values[index] }
        analytics.record(Self.name, attributes)
    }
}

/// The same values as a typed event.
struct ProductViewed: TypedEvent {
    static let name = "product_viewed"
    var category: String
    var currency: String
    var price: Double
    var discounted: Bool
    var position: Int
    var screen_name: String
    var product_sku: String
    var search_term: String
    var campaign_source: String
    var visible_ratio: Double

    @inline(__always)
    var literal: Attributes {
        [
            "category": category,
            "currency": currency,
            "price": price,
            "discounted": discounted,
            "position": position,
            "screen_name": screen_name,
            "product_sku": product_sku,
            "search_term": search_term,
            "campaign_source": campaign_source,
            "visible_ratio": visible_ratio,
        ]
    }
}

/// Measures the time per `record` for every way of calling it.
///
/// The ways alternate, so that all run under the same conditions.
struct CallStyleBenchmark {
    let count: Int
    private let rounds = 6

    func run() throws {
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        let all = try CallStyle.allCases.map { ($0, try $0.analytics(scratch)) }
        let samples = Sample.all()
        for (style, analytics) in all {
            for index in 0..<10_000 { style.record(samples[index % Sample.number], analytics) }
        }
        var durations: [CallStyle: [UInt64]] = [:]
        for round in 0..<rounds {
            for offset in all.indices {
                // Each round begins with a different style.
                let (style, analytics) = all[(round + offset) % all.count]
                durations[style, default: []] += Measurement.durations(count / rounds) {
                    style.record(samples[$0 % Sample.number], analytics)
                }
            }
        }
        for (style, _) in all { print("\(style), record, 1 thread: \(Measurement(durations[style] ?? []).summary)") }
    }

    /// Records in one way and does nothing else, for an instruction counter.
    static func run(_ name: String?, count: Int) throws {
        guard let style = name.flatMap(CallStyle.init(rawValue:)) else {
            throw BenchError(
                "unknown style; expected one of \(CallStyle.allCases.map(\.rawValue).joined(separator: ", "))"
            )
        }
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        let analytics = try style.analytics(scratch)
        let samples = Sample.all()
        for index in 0..<count { style.record(samples[index % Sample.number], analytics) }
        print("recorded: \(analytics.ledger().recorded)")
    }
}
