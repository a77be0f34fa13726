// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Somebody who behaves much as people do in a shop: looks around, hesitates, puts things back, sometimes buys.
///
/// Decides only from what is on the screen and its own dice, so a visit can be repeated key by key.
package struct Visitor: Sendable {
    /// What the visitor does next.
    package struct Move: Sendable, Hashable {
        /// The key that is pressed.
        package var key: Key
        /// How long the visitor thinks before.
        package var pause: Duration
        /// How long the visitor turns away from the shop before that; usually not at all.
        package var absence = Duration.zero
        /// Whether the visitor forgets the time over what is shown.
        package var lingers = false
    }

    private enum Mood: Sendable {
        /// Only looks.
        case looking
        /// Came for something.
        case searching
        /// Buys what pleases.
        case buying
    }

    private let mood: Mood
    private var dice: Dice
    /// Of their own, so that who is called away does the same in the shop as if nobody had called.
    private var calls: Dice
    private var timeout: Int
    private var plan: [Key] = []

    /// A visitor whose whole visit follows from seed and number.
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

    /// The next key and the thought before it. Ends, sooner or later, with leaving the shop.
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

    /// Now and then somebody looks at a message, and more seldom takes a call.
    private mutating func absence() -> Duration {
        if calls.happens(3) { return .seconds(Int.random(in: 5...20, using: &calls)) }
        return calls.happens(1) ? Self.longAbsence : .zero
    }

    /// As long as a call takes.
    package static let longAbsence = Duration.seconds(90)

    /// The keys of the next deed; never empty.
    private mutating func decide(in shop: Shop) -> [Key] {
        switch shop.screen {
        case .progressByWriter:
            return decideAtTheShelves(shop)
        case .search:
            return [.escape]  // Only reached by a plan, which ends it itself.
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
            return [.enter]  // Means nothing there; whoever drives the visit waits.
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
            // On the way out: pay for what is in the basket, or think better of it.
            return !shop.basket.isEmpty && timeout > -6 && wantsToPay ? [.character("b")] : [.character("q")]
        }
        if case .searching = mood, dice.happens(60) { return search(shop) }
        if dice.happens(15) { return search(shop) }
        if !shop.basket.isEmpty, dice.happens(30) { return [.character("b")] }
        let steps = Int.random(in: 0..<WriterProgress.allCases.count, using: &dice)
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
