// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension Shop {
    /// Returns the screen as lines that fit a terminal.
    ///
    /// - Parameters:
    ///   - columns: The width of the terminal.
    ///   - rows: The height of the terminal. Lines that do not fit are cut off, but not those around the cursor.
    package func render(columns: Int, rows: Int) -> [Line] {
        let width = max(20, min(columns, 96))
        let (body, cursor) = body(width: width)
        let available = max(1, rows - 5)
        let first = body.count <= available ? 0 : min(max(0, (cursor ?? 0) - available / 2), body.count - available)
        let visible = body[first..<min(body.count, first + available)]
        let blank = [Line](repeating: Line(), count: available - visible.count)
        let lines = [header(width: width), Line()] + visible + blank + [Line(), Line(hint, .dim)]
        return lines.map { $0.truncated(to: columns) }
    }

    private func header(width: Int) -> Line {
        let full = "basket: \(basket.pieceCount) · \(basket.price)"
        return Line(" The Corner Shop", .title).adding(
            basket.isEmpty ? "basket: empty" : full,
            basket.isEmpty ? .dim : .price,
            endingAt: width - 1
        )
    }

    private var hint: String {
        switch screen {
        case .shelves: " ↑↓ select  ⏎ open  / search  b basket  q quit  ^Z suspend"
        case .search: " type, ⏎ search  esc back"
        case .list: " ↑↓ select  ⏎ open  a add  / search  b basket  esc back  q quit"
        case .product: " ⏎ add to basket  - remove  b basket  esc back  q quit"
        case .basket: " ↑↓ select  + more  - less  ⏎ check out  esc back  q leave"
        case .delivery, .payment: " ↑↓ select  ⏎ continue  esc back"
        case .confirmation: " ⏎ buy now  esc back"
        case .paying: " one moment…"
        case .thanks: " ⏎ back to the shelves  q quit"
        }
    }

    private func body(width: Int) -> (lines: [Line], cursor: Int?) {
        switch screen {
        case .shelves(let cursor):
            let entries = Shelf.allCases.map { shelf in
                (shelf.title, "\(catalog.products(on: shelf).count) things")
            }
            return menu("Welcome! Choose a shelf.", entries, cursor: cursor, width: width)
        case .search(let text):
            return (
                [Line("  What are you looking for?"), Line(), Line("  > ", .dim).adding(text).adding("▏", .dim)], nil
            )
        case .list(let list, let cursor):
            guard !list.products.isEmpty else {
                return ([Line("  \(list.title)", .title), Line(), Line("  No results. Try “knife”.", .dim)], nil)
            }
            let entries = list.products.map { ("\($0.name), \($0.maker)", "\($0.price)") }
            return menu(list.title, entries, cursor: cursor, width: width)
        case .product(let product):
            return (productBody(product, width: width), nil)
        case .basket(let cursor):
            return basketBody(cursor: cursor, width: width)
        case .delivery(let cursor):
            let entries = Delivery.allCases.map { ($0.title, "\($0.price(for: basket.price))") }
            return menu("Delivery method", entries, cursor: cursor, width: width)
        case .payment(_, let cursor):
            return menu("Payment method", Payment.allCases.map { ($0.title, "") }, cursor: cursor, width: width)
        case .confirmation(let order):
            return (orderBody("Review your order", order, width: width), nil)
        case .paying(let order):
            return ([Line("  Paying \(order.total)…", .title)], nil)
        case .thanks(let order):
            let thanks = Line("  Thank you! Order \(order.number) is on its way.", .good)
            return ([thanks, Line()] + orderBody("Your order", order, width: width), nil)
        }
    }

    private func menu(
        _ title: String,
        _ entries: [(left: String, right: String)],
        cursor: Int,
        width: Int
    ) -> (lines: [Line], cursor: Int?) {
        let lines = entries.enumerated().map { index, entry in
            let isChosen = index == cursor
            let style: Line.Style = isChosen ? .chosen : .plain
            return Line(isChosen ? "  ▸ " : "    ", style)
                .adding(entry.left, style)
                .adding(entry.right, .price, endingAt: width - 1)
        }
        return ([Line("  \(title)", .title), Line()] + lines, cursor + 2)
    }

    private func productBody(_ product: Product, width: Int) -> [Line] {
        let count = basket.count(of: product)
        let inBasket = count > 0 ? Line("  \(count) in your basket", .good) : Line("  not in your basket", .dim)
        return [
            Line("  \(product.name)", .title).adding("\(product.price)", .price, endingAt: width - 1),
            Line("  by \(product.maker) · \(product.shelf.title) · \(product.sku)", .dim),
            Line(),
            Line("  \(product.summary)"),
            Line(),
            inBasket,
        ]
    }

    private func basketBody(cursor: Int, width: Int) -> (lines: [Line], cursor: Int?) {
        guard !basket.isEmpty else { return ([Line("  Your basket is empty.", .dim)], nil) }
        let entries = basket.lines.map { ("\($0.count) × \($0.product.name)", "\($0.price)") }
        let (lines, row) = menu("Your basket", entries, cursor: cursor, width: width)
        return (lines + [Line(), sum("Together", basket.price, width: width)], row)
    }

    private func orderBody(_ title: String, _ order: Order, width: Int) -> [Line] {
        let goods = order.basket.lines.map { line in
            Line("    \(line.count) × \(line.product.name)").adding("\(line.price)", .price, endingAt: width - 1)
        }
        let deliveryLine = Line("    \(order.delivery.title)").adding(
            "\(order.deliveryPrice)",
            .price,
            endingAt: width - 1
        )
        return [Line("  \(title)", .title), Line()] + goods
            + [deliveryLine, Line(), sum("Total, by \(order.payment.title.lowercased())", order.total, width: width)]
    }

    private func sum(_ title: String, _ amount: Money, width: Int) -> Line {
        Line("    \(title)", .title).adding("\(amount)", .price, endingAt: width - 1)
    }
}
