// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector

/// The collector's page: live events, their rate, the ledger, what was refused, the visitors with their sessions, the
/// devices with their properties and states, boards, alerts, and questions with their answers.
///
/// The files lie in `Assets` and are compiled in, so that the executable needs nothing beside it. They ask the collector
/// they came from and nobody else.
package enum CollectorPage {
    /// What is served: the page, one script, one style sheet, and the other files; the page itself under `/`.
    package static let assets: [WebAsset] = {
        // Files that cannot be put together work one by one as well, only more slowly; the tests say why.
        (try? PageBundle(files))?.assets ?? files
    }()

    /// Every file as it lies in the folder, the page itself under `/`.
    package static let files: [WebAsset] = [
        WebAsset(path: "/", contentType: html, body: PackageResources.index_html),
        WebAsset(path: "/app.css", contentType: css, body: PackageResources.app_css),
        WebAsset(path: "/layout.css", contentType: css, body: PackageResources.layout_css),
        WebAsset(path: "/stream.css", contentType: css, body: PackageResources.stream_css),
        WebAsset(path: "/ledger.css", contentType: css, body: PackageResources.ledger_css),
        WebAsset(path: "/groups.css", contentType: css, body: PackageResources.groups_css),
        WebAsset(path: "/visitors.css", contentType: css, body: PackageResources.visitors_css),
        WebAsset(path: "/people.css", contentType: css, body: PackageResources.people_css),
        WebAsset(path: "/devices.css", contentType: css, body: PackageResources.devices_css),
        WebAsset(path: "/states.css", contentType: css, body: PackageResources.states_css),
        WebAsset(path: "/questions.css", contentType: css, body: PackageResources.questions_css),
        WebAsset(path: "/catalogue.css", contentType: css, body: PackageResources.catalogue_css),
        WebAsset(path: "/plan.css", contentType: css, body: PackageResources.plan_css),
        WebAsset(path: "/charts.css", contentType: css, body: PackageResources.charts_css),
        WebAsset(path: "/boards.css", contentType: css, body: PackageResources.boards_css),
        WebAsset(path: "/alerts.css", contentType: css, body: PackageResources.alerts_css),
        WebAsset(path: "/narrow.css", contentType: css, body: PackageResources.narrow_css),
        WebAsset(path: "/touch.css", contentType: css, body: PackageResources.touch_css),
        WebAsset(path: "/icon.svg", contentType: "image/svg+xml", body: PackageResources.icon_svg),
        WebAsset(path: "/address.js", contentType: script, body: PackageResources.address_js),
        WebAsset(path: "/again.js", contentType: script, body: PackageResources.again_js),
        WebAsset(path: "/alerted.js", contentType: script, body: PackageResources.alerted_js),
        WebAsset(path: "/alertform.js", contentType: script, body: PackageResources.alertform_js),
        WebAsset(path: "/alerts.js", contentType: script, body: PackageResources.alerts_js),
        WebAsset(path: "/app.js", contentType: script, body: PackageResources.app_js),
        WebAsset(path: "/ask.js", contentType: script, body: PackageResources.ask_js),
        WebAsset(path: "/asked.js", contentType: script, body: PackageResources.asked_js),
        WebAsset(path: "/axis.js", contentType: script, body: PackageResources.axis_js),
        WebAsset(path: "/battery.js", contentType: script, body: PackageResources.battery_js),
        WebAsset(path: "/boards.js", contentType: script, body: PackageResources.boards_js),
        WebAsset(path: "/boardview.js", contentType: script, body: PackageResources.boardview_js),
        WebAsset(path: "/cards.js", contentType: script, body: PackageResources.cards_js),
        WebAsset(path: "/changes.js", contentType: script, body: PackageResources.changes_js),
        WebAsset(path: "/catalogue.js", contentType: script, body: PackageResources.catalogue_js),
        WebAsset(path: "/catalogued.js", contentType: script, body: PackageResources.catalogued_js),
        WebAsset(path: "/chart.js", contentType: script, body: PackageResources.chart_js),
        WebAsset(path: "/conditions.js", contentType: script, body: PackageResources.conditions_js),
        WebAsset(path: "/detail.js", contentType: script, body: PackageResources.detail_js),
        WebAsset(path: "/device.js", contentType: script, body: PackageResources.device_js),
        WebAsset(path: "/devices.js", contentType: script, body: PackageResources.devices_js),
        WebAsset(path: "/dom.js", contentType: script, body: PackageResources.dom_js),
        WebAsset(path: "/elements.js", contentType: script, body: PackageResources.elements_js),
        WebAsset(path: "/events.js", contentType: script, body: PackageResources.events_js),
        WebAsset(path: "/failed.js", contentType: script, body: PackageResources.failed_js),
        WebAsset(path: "/feed.js", contentType: script, body: PackageResources.feed_js),
        WebAsset(path: "/figures.js", contentType: script, body: PackageResources.figures_js),
        WebAsset(path: "/filter.js", contentType: script, body: PackageResources.filter_js),
        WebAsset(path: "/fleet.js", contentType: script, body: PackageResources.fleet_js),
        WebAsset(path: "/form.js", contentType: script, body: PackageResources.form_js),
        WebAsset(path: "/format.js", contentType: script, body: PackageResources.format_js),
        WebAsset(path: "/funnel.js", contentType: script, body: PackageResources.funnel_js),
        WebAsset(path: "/groups.js", contentType: script, body: PackageResources.groups_js),
        WebAsset(path: "/habits.js", contentType: script, body: PackageResources.habits_js),
        WebAsset(path: "/history.js", contentType: script, body: PackageResources.history_js),
        WebAsset(path: "/json.js", contentType: script, body: PackageResources.json_js),
        WebAsset(path: "/kinds.js", contentType: script, body: PackageResources.kinds_js),
        WebAsset(path: "/ledger.js", contentType: script, body: PackageResources.ledger_js),
        WebAsset(path: "/life.js", contentType: script, body: PackageResources.life_js),
        WebAsset(path: "/links.js", contentType: script, body: PackageResources.links_js),
        WebAsset(path: "/meter.js", contentType: script, body: PackageResources.meter_js),
        WebAsset(path: "/metres.js", contentType: script, body: PackageResources.metres_js),
        WebAsset(path: "/modes.js", contentType: script, body: PackageResources.modes_js),
        WebAsset(path: "/moment.js", contentType: script, body: PackageResources.moment_js),
        WebAsset(path: "/moments.js", contentType: script, body: PackageResources.moments_js),
        WebAsset(path: "/palette.js", contentType: script, body: PackageResources.palette_js),
        WebAsset(path: "/paths.js", contentType: script, body: PackageResources.paths_js),
        WebAsset(path: "/people.js", contentType: script, body: PackageResources.people_js),
        WebAsset(path: "/person.js", contentType: script, body: PackageResources.person_js),
        WebAsset(path: "/places.js", contentType: script, body: PackageResources.places_js),
        WebAsset(path: "/plan.js", contentType: script, body: PackageResources.plan_js),
        WebAsset(path: "/plot.js", contentType: script, body: PackageResources.plot_js),
        WebAsset(path: "/properties.js", contentType: script, body: PackageResources.properties_js),
        WebAsset(path: "/questions.js", contentType: script, body: PackageResources.questions_js),
        WebAsset(path: "/range.js", contentType: script, body: PackageResources.range_js),
        WebAsset(path: "/report.js", contentType: script, body: PackageResources.report_js),
        WebAsset(path: "/retention.js", contentType: script, body: PackageResources.retention_js),
        WebAsset(path: "/saving.js", contentType: script, body: PackageResources.saving_js),
        WebAsset(path: "/screens.js", contentType: script, body: PackageResources.screens_js),
        WebAsset(path: "/sessions.js", contentType: script, body: PackageResources.sessions_js),
        WebAsset(path: "/shared.js", contentType: script, body: PackageResources.shared_js),
        WebAsset(path: "/states.js", contentType: script, body: PackageResources.states_js),
        WebAsset(path: "/steps.js", contentType: script, body: PackageResources.steps_js),
        WebAsset(path: "/stream.js", contentType: script, body: PackageResources.stream_js),
        WebAsset(path: "/stretches.js", contentType: script, body: PackageResources.stretches_js),
        WebAsset(path: "/strips.js", contentType: script, body: PackageResources.strips_js),
        WebAsset(path: "/suggestions.js", contentType: script, body: PackageResources.suggestions_js),
        WebAsset(path: "/timechoice.js", contentType: script, body: PackageResources.timechoice_js),
        WebAsset(path: "/timescale.js", contentType: script, body: PackageResources.timescale_js),
        WebAsset(path: "/trends.js", contentType: script, body: PackageResources.trends_js),
        WebAsset(path: "/values.js", contentType: script, body: PackageResources.values_js),
        WebAsset(path: "/visitors.js", contentType: script, body: PackageResources.visitors_js),
        WebAsset(path: "/zones.js", contentType: script, body: PackageResources.zones_js),
    ]

    /// What the page is allowed to do: load its own files and ask its own collector. Event contents never become markup,
    /// and with this they could not run even if they did.
    package static let contentSecurityPolicy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; \
        form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'
        """

    private static let html = "text/html; charset=utf-8"
    private static let css = "text/css; charset=utf-8"
    private static let script = "text/javascript; charset=utf-8"
}
