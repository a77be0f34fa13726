// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A simulated visitor who behaves like people in a shop: browses, hesitates, puts things back, sometimes buys.
///
/// Decisions depend only on the screen and the visitor's random generator, so a visit can be repeated key by key.
package struct Visitor: Sendable {
    /// A visitor's next action.
    package struct Move: Sendable, Hashable {
        /// The key that is pressed.
        package var key: Key
        /// The time before the key is pressed.
        package var pause: Duration
        /// The time before that during which the visitor is away; usually zero.
        package var absence = Duration.zero
        /// Whether the visitor looks at the screen for a long time.
        package var lingers = false
    }

    private enum Mood: Sendable {
        /// Only browses.
        case looking
        /// Looks for something specific.
        case searching
        /// Buys appealing products.
        case buying
    }

    private let mood: Mood
    private var dice: Dice
    /// A separate generator, so that interruptions do not change what a visitor does in the shop.
    private var calls: Dice
    private var timeout: Int
    private var plan: [Key] = []

    /// Creates a visitor whose entire visit is determined by the seed and the number.
    package init(seed: UInt64, number: UInt64) {
        dice = Dice(seed: seed, number: number)
        calls = Dice(seed: ~seed, number: number)
        switch Int.random(in: 0..<10, using: &dice) {
        case 0...4: mood = .looking
        case 5...6: mood = .searching
        default: mood = .buying
        }
        timeout = Int.random(in: 4...14, using: &dice)
    }

    /// Returns the next key and the pause before it.
    ///
    /// Every visit ends with leaving the shop.
    package mutating func move(in shop: Shop) -> Move {
        if plan.isEmpty {
            plan = decide(in: shop)
            timeout -= 1
            let key = plan.removeFirst()
            let pause = Duration.milliseconds(Int.random(in: 600...4_000, using: &dice))
            return Move(key: key, pause: pause, absence: absence(), lingers: calls.happens(1))
        }
        let key = plan.removeFirst()
        return Move(key: key, pause: .milliseconds(Int.random(in: 80...350, using: &dice)))
    }

    /// Returns an occasional short absence for a message or, less often, a long one for a phone call.
    private mutating func absence() -> Duration {
        if calls.happens(3) { return .seconds(Int.random(in: 5...20, using: &calls)) }
        return calls.happens(1) ? Self.longAbsence : .zero
    }

    /// The duration of a phone call.
    package static let longAbsence = Duration.seconds(90)

    /// Returns the keys of the next action; never empty.
    private mutating func decide(in shop: Shop) -> [Key] {
        switch shop.screen {
        case .shelves:
            return decideAtTheShelves(shop)
        case .search:
            return [.escape]  // Only reached by a plan, which also completes the search.
        case .list(let list, _):
            guard !list.products.isEmpty, timeout > 0 else { return [.escape] }
            let steps = Int.random(in: 0..<min(list.products.count, 4), using: &dice)
            if dice.happens(15) { return [Key](repeating: .down, count: steps) + [.character("a")] }
            return dice.happens(80) ? [Key](repeating: .down, count: steps) + [.enter] : [.escape]
        case .product(let product):
            return decide(about: product, in: shop)
        case .basket(let cursor):
            guard !shop.basket.isEmpty else { return [.escape] }
            if dice.happens(12) { return [.character("-")] }
            if dice.happens(8), shop.basket.lines.count > cursor + 1 { return [.down, .character("+")] }
            return wantsToPay ? [.enter] : [.escape]
        case .delivery, .payment:
            if dice.happens(6) { return [.escape] }
            return [Key](repeating: .down, count: Int.random(in: 0...2, using: &dice)) + [.enter]
        case .confirmation:
            return dice.happens(92) ? [.enter] : [.escape]
        case .paying:
            return [.enter]  // Ignored on this screen; the caller waits for the payment.
        case .thanks:
            return dice.happens(70) ? [.character("q")] : [.enter]
        }
    }

    private var wantsToPay: Bool {
        mutating get {
            switch mood {
            case .looking: dice.happens(15)
            case .searching: dice.happens(80)
            case .buying: dice.happens(90)
            }
        }
    }

    private mutating func decideAtTheShelves(_ shop: Shop) -> [Key] {
        if timeout <= 0 {
            // Before leaving, pay for the basket or abandon it.
            return !shop.basket.isEmpty && timeout > -6 && wantsToPay ? [.character("b")] : [.character("q")]
        }
        if case .searching = mood, dice.happens(60) { return search(shop) }
        if dice.happens(15) { return search(shop) }
        if !shop.basket.isEmpty, dice.happens(30) { return [.character("b")] }
        let steps = Int.random(in: 0..<Shelf.allCases.count, using: &dice)
        return [Key](repeating: dice.happens(70) ? .down : .up, count: steps) + [.enter]
    }

    private mutating func search(_ shop: Shop) -> [Key] {
        let product = dice.pick(shop.catalogue.products)
        let words = dice.happens(12) ? "unicorn" : product.name.split(separator: " ").last.map(String.init) ?? "pan"
        let letters = words.lowercased().filter { $0.isLetter || $0.isNumber }
        return [.character("/")] + letters.map { .character($0) } + [.enter]
    }

    private mutating func decide(about product: Product, in shop: Shop) -> [Key] {
        let likesIt =
            switch mood {
            case .looking: dice.happens(10)
            case .searching: dice.happens(55)
            case .buying: dice.happens(45)
            }
        guard shop.basket.count(of: product) == 0 else { return [dice.happens(50) ? .character("b") : .escape] }
        return likesIt ? [.enter] : [.escape]
    }
}
