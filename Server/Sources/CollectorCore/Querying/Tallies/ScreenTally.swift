// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Totals of screen views and transitions.
///
/// Views must be added in order of installation, session and time.
public struct ScreenTally: Sendable {
    private struct Sum {
        let name: ByteText
        var views: UInt64 = 0
        var entrances: UInt64 = 0
        var exits: UInt64 = 0
        var engagement: Int64 = 0
        var installations: UInt64 = 0
        /// The last installation that was counted; rows of one installation are adjacent.
        var lastInstallation: Int64?
    }

    /// A transition between screens, as indexes of `sums`.
    private struct Step: Hashable {
        let from: Int
        let to: Int
    }

    private struct Path: Equatable {
        let installation: Int64
        let session: Int64
    }

    /// The maximum numbers of distinct names and steps.
    ///
    /// The limits are needed because any client with a key can send arbitrarily many names.
    private static let maxNames = 10_000
    private static let maxSteps = 100_000

    private var sums: [Sum] = []
    private var numbers: [ByteText: Int] = [:]
    private var steps: [Step: UInt64] = [:]
    private var path: Path?
    /// The last screen on `path`; nil when its name is not counted.
    private var last: Int?

    /// Creates an empty tally.
    public init() {}

    /// Adds a view of a screen.
    ///
    /// - Parameters:
    ///   - installation: A number that identifies the installation.
    ///   - session: A number that identifies the session within its installation.
    ///   - engagement: The engagement time in milliseconds.
    public mutating func add(_ name: String, installation: Int64, session: Int64, engagement: Int64) {
        let screen = number(of: ByteText(name))
        let newPath = Path(installation: installation, session: session)
        if newPath != path {
            endPath()
            path = newPath
            if let screen { sums[screen].entrances += 1 }
        } else if let last, let screen {
            count(Step(from: last, to: screen))
        }
        if let screen {
            sums[screen].views += 1
            // The client may have sent any number, so the sum can overflow.
            let (sum, isOver) = sums[screen].engagement.addingReportingOverflow(engagement)
            sums[screen].engagement = isOver ? (engagement < 0 ? .min : .max) : sum
            if sums[screen].lastInstallation != installation {
                sums[screen].installations += 1
                sums[screen].lastInstallation = installation
            }
        }
        last = screen
    }

    /// Returns the most frequently shown screens and the most frequent steps.
    public mutating func flow(limit: Int) -> ScreenFlow {
        endPath()
        let screens = sums.sorted { ($1.views, $0.name) < ($0.views, $1.name) }.prefix(limit)
        let sorted = steps.sorted { left, right in
            (right.value, sums[left.key.from].name, sums[left.key.to].name)
                < (left.value, sums[right.key.from].name, sums[right.key.to].name)
        }
        return ScreenFlow(
            screens: screens.map { sum in
                ScreenFlow.Totals(
                    name: sum.name.text,
                    views: sum.views,
                    entrances: sum.entrances,
                    exits: sum.exits,
                    engagement: sum.engagement,
                    installations: sum.installations
                )
            },
            steps: sorted.prefix(limit).map { step, count in
                ScreenFlow.Step(from: sums[step.from].name.text, to: sums[step.to].name.text, count: count)
            }
        )
    }

    /// Ends the path and counts an exit from its last screen.
    private mutating func endPath() {
        if let last { sums[last].exits += 1 }
        last = nil
        path = nil
    }

    private mutating func count(_ step: Step) {
        guard steps[step] != nil || steps.count < Self.maxSteps else { return }
        steps[step, default: 0] += 1
    }

    private mutating func number(of name: ByteText) -> Int? {
        if let known = numbers[name] { return known }
        guard sums.count < Self.maxNames else { return nil }
        sums.append(Sum(name: name))
        numbers[name] = sums.count - 1
        return sums.count - 1
    }
}

/// Totals of clicks on elements.
///
/// Clicks must be added in order of installation.
public struct ClickTally: Sendable {
    /// The clicked element.
    ///
    /// Strings are compared byte by byte, as in stores.
    private struct Name: Hashable {
        let screen: ByteText
        let element: ByteText
        let type: ByteText?
    }

    private struct Sum {
        var clicks: UInt64 = 0
        var installations: UInt64 = 0
        /// The last installation that was counted; rows of one installation are adjacent.
        var lastInstallation: Int64?
    }

    /// The maximum number of distinct elements.
    ///
    /// The limit is needed because any client with a key can send arbitrarily many elements.
    private static let maxNames = 10_000

    private var sums: [Name: Sum] = [:]

    /// Creates an empty tally.
    public init() {}

    /// Adds a click on an element.
    ///
    /// - Parameters:
    ///   - screen: The element's screen; empty when unknown.
    ///   - type: The element's type, if known.
    ///   - installation: A number that identifies the installation.
    public mutating func add(_ element: String, type: String?, on screen: String, installation: Int64) {
        let name = Name(screen: ByteText(screen), element: ByteText(element), type: type.map { ByteText($0) })
        guard sums[name] != nil || sums.count < Self.maxNames else { return }
        var sum = sums[name] ?? Sum()
        sum.clicks += 1
        if sum.lastInstallation != installation {
            sum.installations += 1
            sum.lastInstallation = installation
        }
        sums[name] = sum
    }

    /// Returns the most clicked elements.
    public func elements(limit: Int) -> [ScreenFlow.Element] {
        // A missing type sorts before an empty one.
        func order(_ name: Name) -> (ByteText, ByteText, Int, ByteText) {
            (name.screen, name.element, name.type == nil ? 0 : 1, name.type ?? ByteText(""))
        }
        let sorted = sums.sorted { left, right in
            guard left.value.clicks == right.value.clicks else { return left.value.clicks > right.value.clicks }
            return order(left.key) < order(right.key)
        }
        return sorted.prefix(limit).map { name, sum in
            ScreenFlow.Element(
                screen: name.screen.text,
                element: name.element.text,
                type: name.type?.text,
                clicks: sum.clicks,
                installations: sum.installations
            )
        }
    }
}
