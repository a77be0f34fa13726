// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A simulated visitor who behaves like people in a shop: browses, hesitates, puts things back, sometimes buys.
///
/// Decisions depend only on the screen and the visitor's random generator, so a visit can be repeated key by key.
package struct Visitor: Sendable {
    /// A visitor's next action.
    package struct Action: Sendable, Hashable {
        /// The key that is pressed.
        package var key: Key
        /// The time before the key is pressed.
        package var pause: Duration
        /// The time before that during which the visitor is away; usually zero.
        package var absence = Duration.zero
        /// Whether the visitor looks at the screen for a long time.
        package var lingers = false
    }

    private enum Intent: Sendable {
        /// Only browses.
        case browsing
        /// Looks for something specific.
        case searching
        /// Buys appealing products.
        case buying
    }

    private let intent: Intent
    private var random: SeededGenerator
    /// A separate generator, so that interruptions do not change what a visitor does in the shop.
    private var interruptions: SeededGenerator
    private var remainingSteps: Int
    private var plannedKeys: [Key] = []

    /// Creates a visitor whose entire visit is determined by the seed and the number.
    package init(seed: UInt64, number: UInt64) {
        random = SeededGenerator(seed: seed, number: number)
        interruptions = SeededGenerator(seed: ~seed, number: number)
        switch Int.random(in: 0..<10, using: &random) {
        case 0...4: intent = .browsing
        case 5...6: intent = .searching
        default: intent = .buying
        }
        remainingSteps = Int.random(in: 4...14, using: &random)
    }

    /// Returns the next key and the pause before it.
    ///
    /// Every visit ends with leaving the shop.
    package mutating func nextAction(in shop: Shop) -> Action {
        if plannedKeys.isEmpty {
            plannedKeys = decide(in: shop)
            remainingSteps -= 1
            let key = plannedKeys.removeFirst()
            let pause = Duration.milliseconds(Int.random(in: 600...4_000, using: &random))
            return Action(key: key, pause: pause, absence: absence(), lingers: interruptions.isTrue(percent: 1))
        }
        let key = plannedKeys.removeFirst()
        return Action(key: key, pause: .milliseconds(Int.random(in: 80...350, using: &random)))
    }

    /// Returns an occasional short absence for a message or, less often, a long one for a phone call.
    private mutating func absence() -> Duration {
        if interruptions.isTrue(percent: 3) { return .seconds(Int.random(in: 5...20, using: &interruptions)) }
        return interruptions.isTrue(percent: 1) ? Self.longAbsence : .zero
    }

    /// The duration of a phone call.
    package static let longAbsence = Duration.seconds(90)

    /// Returns the keys of the next action; never empty.
    private mutating func decide(in shop: Shop) -> [Key] {
        switch shop.screen {
        case .shelves:
            return decideOnShelves(shop)
        case .search:
            return [.escape]  // Only a plan reaches this screen, and it also completes the search.
        case .list(let list, _):
            guard !list.products.isEmpty, remainingSteps > 0 else { return [.escape] }
            let steps = Int.random(in: 0..<min(list.products.count, 4), using: &random)
            if random.isTrue(percent: 15) { return [Key](repeating: .down, count: steps) + [.character("a")] }
            return random.isTrue(percent: 80) ? [Key](repeating: .down, count: steps) + [.enter] : [.escape]
        case .product(let product):
            return decide(about: product, in: shop)
        case .basket(let cursor):
            guard !shop.basket.isEmpty else { return [.escape] }
            if random.isTrue(percent: 12) { return [.character("-")] }
            if random.isTrue(percent: 8), shop.basket.lines.count > cursor + 1 { return [.down, .character("+")] }
            return wantsToPay ? [.enter] : [.escape]
        case .delivery, .payment:
            if random.isTrue(percent: 6) { return [.escape] }
            return [Key](repeating: .down, count: Int.random(in: 0...2, using: &random)) + [.enter]
        case .confirmation:
            return random.isTrue(percent: 92) ? [.enter] : [.escape]
        case .paying:
            return [.enter]  // Ignored on this screen; the caller waits for the payment.
        case .thanks:
            return random.isTrue(percent: 70) ? [.character("q")] : [.enter]
        }
    }

    private var wantsToPay: Bool {
        mutating get {
            switch intent {
            case .browsing: random.isTrue(percent: 15)
            case .searching: random.isTrue(percent: 80)
            case .buying: random.isTrue(percent: 90)
            }
        }
    }

    private mutating func decideOnShelves(_ shop: Shop) -> [Key] {
        if remainingSteps <= 0 {
            // Before leaving, pay for the basket or abandon it.
            return !shop.basket.isEmpty && remainingSteps > -6 && wantsToPay ? [.character("b")] : [.character("q")]
        }
        if case .searching = intent, random.isTrue(percent: 60) { return search(shop) }
        if random.isTrue(percent: 15) { return search(shop) }
        if !shop.basket.isEmpty, random.isTrue(percent: 30) { return [.character("b")] }
        let steps = Int.random(in: 0..<Shelf.allCases.count, using: &random)
        return [Key](repeating: random.isTrue(percent: 70) ? .down : .up, count: steps) + [.enter]
    }

    private mutating func search(_ shop: Shop) -> [Key] {
        let product = random.pick(shop.catalog.products)
        let words =
            random.isTrue(percent: 12) ? "unicorn" : product.name.split(separator: " ").last.map(String.init) ?? "pan"
        let letters = words.lowercased().filter { $0.isLetter || $0.isNumber }
        return [.character("/")] + letters.map { .character($0) } + [.enter]
    }

    private mutating func decide(about product: Product, in shop: Shop) -> [Key] {
        let wantsProduct =
            switch intent {
            case .browsing: random.isTrue(percent: 10)
            case .searching: random.isTrue(percent: 55)
            case .buying: random.isTrue(percent: 45)
            }
        guard shop.basket.count(of: product) == 0 else {
            return [random.isTrue(percent: 50) ? .character("b") : .escape]
        }
        return wantsProduct ? [.enter] : [.escape]
    }
}
