// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#include "web_assets.h"

// C23, which this compiler accepts in every language mode.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "Assets/index.html"
};
static const unsigned char app_css[] = {
#embed "Assets/app.css"
};
static const unsigned char layout_css[] = {
#embed "Assets/layout.css"
};
static const unsigned char stream_css[] = {
#embed "Assets/stream.css"
};
static const unsigned char ledger_css[] = {
#embed "Assets/ledger.css"
};
static const unsigned char groups_css[] = {
#embed "Assets/groups.css"
};
static const unsigned char visitors_css[] = {
#embed "Assets/visitors.css"
};
static const unsigned char people_css[] = {
#embed "Assets/people.css"
};
static const unsigned char devices_css[] = {
#embed "Assets/devices.css"
};
static const unsigned char states_css[] = {
#embed "Assets/states.css"
};
static const unsigned char questions_css[] = {
#embed "Assets/questions.css"
};
static const unsigned char catalogue_css[] = {
#embed "Assets/catalogue.css"
};
static const unsigned char plan_css[] = {
#embed "Assets/plan.css"
};
static const unsigned char charts_css[] = {
#embed "Assets/charts.css"
};
static const unsigned char boards_css[] = {
#embed "Assets/boards.css"
};
static const unsigned char alerts_css[] = {
#embed "Assets/alerts.css"
};
static const unsigned char narrow_css[] = {
#embed "Assets/narrow.css"
};
static const unsigned char touch_css[] = {
#embed "Assets/touch.css"
};
static const unsigned char icon_svg[] = {
#embed "Assets/icon.svg"
};
static const unsigned char address_js[] = {
#embed "Assets/address.js"
};
static const unsigned char again_js[] = {
#embed "Assets/again.js"
};
static const unsigned char alerted_js[] = {
#embed "Assets/alerted.js"
};
static const unsigned char alertform_js[] = {
#embed "Assets/alertform.js"
};
static const unsigned char alerts_js[] = {
#embed "Assets/alerts.js"
};
static const unsigned char app_js[] = {
#embed "Assets/app.js"
};
static const unsigned char ask_js[] = {
#embed "Assets/ask.js"
};
static const unsigned char asked_js[] = {
#embed "Assets/asked.js"
};
static const unsigned char axis_js[] = {
#embed "Assets/axis.js"
};
static const unsigned char battery_js[] = {
#embed "Assets/battery.js"
};
static const unsigned char boards_js[] = {
#embed "Assets/boards.js"
};
static const unsigned char boardview_js[] = {
#embed "Assets/boardview.js"
};
static const unsigned char cards_js[] = {
#embed "Assets/cards.js"
};
static const unsigned char changes_js[] = {
#embed "Assets/changes.js"
};
static const unsigned char catalogue_js[] = {
#embed "Assets/catalogue.js"
};
static const unsigned char catalogued_js[] = {
#embed "Assets/catalogued.js"
};
static const unsigned char chart_js[] = {
#embed "Assets/chart.js"
};
static const unsigned char conditions_js[] = {
#embed "Assets/conditions.js"
};
static const unsigned char detail_js[] = {
#embed "Assets/detail.js"
};
static const unsigned char device_js[] = {
#embed "Assets/device.js"
};
static const unsigned char devices_js[] = {
#embed "Assets/devices.js"
};
static const unsigned char dom_js[] = {
#embed "Assets/dom.js"
};
static const unsigned char elements_js[] = {
#embed "Assets/elements.js"
};
static const unsigned char events_js[] = {
#embed "Assets/events.js"
};
static const unsigned char failed_js[] = {
#embed "Assets/failed.js"
};
static const unsigned char feed_js[] = {
#embed "Assets/feed.js"
};
static const unsigned char figures_js[] = {
#embed "Assets/figures.js"
};
static const unsigned char filter_js[] = {
#embed "Assets/filter.js"
};
static const unsigned char fleet_js[] = {
#embed "Assets/fleet.js"
};
static const unsigned char form_js[] = {
#embed "Assets/form.js"
};
static const unsigned char format_js[] = {
#embed "Assets/format.js"
};
static const unsigned char funnel_js[] = {
#embed "Assets/funnel.js"
};
static const unsigned char groups_js[] = {
#embed "Assets/groups.js"
};
static const unsigned char habits_js[] = {
#embed "Assets/habits.js"
};
static const unsigned char history_js[] = {
#embed "Assets/history.js"
};
static const unsigned char json_js[] = {
#embed "Assets/json.js"
};
static const unsigned char kinds_js[] = {
#embed "Assets/kinds.js"
};
static const unsigned char ledger_js[] = {
#embed "Assets/ledger.js"
};
static const unsigned char life_js[] = {
#embed "Assets/life.js"
};
static const unsigned char links_js[] = {
#embed "Assets/links.js"
};
static const unsigned char meter_js[] = {
#embed "Assets/meter.js"
};
static const unsigned char metres_js[] = {
#embed "Assets/metres.js"
};
static const unsigned char modes_js[] = {
#embed "Assets/modes.js"
};
static const unsigned char moment_js[] = {
#embed "Assets/moment.js"
};
static const unsigned char moments_js[] = {
#embed "Assets/moments.js"
};
static const unsigned char palette_js[] = {
#embed "Assets/palette.js"
};
static const unsigned char paths_js[] = {
#embed "Assets/paths.js"
};
static const unsigned char people_js[] = {
#embed "Assets/people.js"
};
static const unsigned char person_js[] = {
#embed "Assets/person.js"
};
static const unsigned char places_js[] = {
#embed "Assets/places.js"
};
static const unsigned char plan_js[] = {
#embed "Assets/plan.js"
};
static const unsigned char plot_js[] = {
#embed "Assets/plot.js"
};
static const unsigned char properties_js[] = {
#embed "Assets/properties.js"
};
static const unsigned char questions_js[] = {
#embed "Assets/questions.js"
};
static const unsigned char range_js[] = {
#embed "Assets/range.js"
};
static const unsigned char report_js[] = {
#embed "Assets/report.js"
};
static const unsigned char retention_js[] = {
#embed "Assets/retention.js"
};
static const unsigned char saving_js[] = {
#embed "Assets/saving.js"
};
static const unsigned char screens_js[] = {
#embed "Assets/screens.js"
};
static const unsigned char sessions_js[] = {
#embed "Assets/sessions.js"
};
static const unsigned char shared_js[] = {
#embed "Assets/shared.js"
};
static const unsigned char states_js[] = {
#embed "Assets/states.js"
};
static const unsigned char steps_js[] = {
#embed "Assets/steps.js"
};
static const unsigned char stream_js[] = {
#embed "Assets/stream.js"
};
static const unsigned char stretches_js[] = {
#embed "Assets/stretches.js"
};
static const unsigned char strips_js[] = {
#embed "Assets/strips.js"
};
static const unsigned char suggestions_js[] = {
#embed "Assets/suggestions.js"
};
static const unsigned char timechoice_js[] = {
#embed "Assets/timechoice.js"
};
static const unsigned char timescale_js[] = {
#embed "Assets/timescale.js"
};
static const unsigned char trends_js[] = {
#embed "Assets/trends.js"
};
static const unsigned char values_js[] = {
#embed "Assets/values.js"
};
static const unsigned char visitors_js[] = {
#embed "Assets/visitors.js"
};
static const unsigned char zones_js[] = {
#embed "Assets/zones.js"
};

static const struct web_asset web_assets[] = {
    {"/", "text/html; charset=utf-8", index_html, sizeof index_html},
    {"/app.css", "text/css; charset=utf-8", app_css, sizeof app_css},
    {"/layout.css", "text/css; charset=utf-8", layout_css, sizeof layout_css},
    {"/stream.css", "text/css; charset=utf-8", stream_css, sizeof stream_css},
    {"/ledger.css", "text/css; charset=utf-8", ledger_css, sizeof ledger_css},
    {"/groups.css", "text/css; charset=utf-8", groups_css, sizeof groups_css},
    {"/visitors.css", "text/css; charset=utf-8", visitors_css, sizeof visitors_css},
    {"/people.css", "text/css; charset=utf-8", people_css, sizeof people_css},
    {"/devices.css", "text/css; charset=utf-8", devices_css, sizeof devices_css},
    {"/states.css", "text/css; charset=utf-8", states_css, sizeof states_css},
    {"/questions.css", "text/css; charset=utf-8", questions_css, sizeof questions_css},
    {"/catalogue.css", "text/css; charset=utf-8", catalogue_css, sizeof catalogue_css},
    {"/plan.css", "text/css; charset=utf-8", plan_css, sizeof plan_css},
    {"/charts.css", "text/css; charset=utf-8", charts_css, sizeof charts_css},
    {"/boards.css", "text/css; charset=utf-8", boards_css, sizeof boards_css},
    {"/alerts.css", "text/css; charset=utf-8", alerts_css, sizeof alerts_css},
    {"/narrow.css", "text/css; charset=utf-8", narrow_css, sizeof narrow_css},
    {"/touch.css", "text/css; charset=utf-8", touch_css, sizeof touch_css},
    {"/icon.svg", "image/svg+xml", icon_svg, sizeof icon_svg},
    {"/address.js", "text/javascript; charset=utf-8", address_js, sizeof address_js},
    {"/again.js", "text/javascript; charset=utf-8", again_js, sizeof again_js},
    {"/alerted.js", "text/javascript; charset=utf-8", alerted_js, sizeof alerted_js},
    {"/alertform.js", "text/javascript; charset=utf-8", alertform_js, sizeof alertform_js},
    {"/alerts.js", "text/javascript; charset=utf-8", alerts_js, sizeof alerts_js},
    {"/app.js", "text/javascript; charset=utf-8", app_js, sizeof app_js},
    {"/ask.js", "text/javascript; charset=utf-8", ask_js, sizeof ask_js},
    {"/asked.js", "text/javascript; charset=utf-8", asked_js, sizeof asked_js},
    {"/axis.js", "text/javascript; charset=utf-8", axis_js, sizeof axis_js},
    {"/battery.js", "text/javascript; charset=utf-8", battery_js, sizeof battery_js},
    {"/boards.js", "text/javascript; charset=utf-8", boards_js, sizeof boards_js},
    {"/boardview.js", "text/javascript; charset=utf-8", boardview_js, sizeof boardview_js},
    {"/cards.js", "text/javascript; charset=utf-8", cards_js, sizeof cards_js},
    {"/changes.js", "text/javascript; charset=utf-8", changes_js, sizeof changes_js},
    {"/catalogue.js", "text/javascript; charset=utf-8", catalogue_js, sizeof catalogue_js},
    {"/catalogued.js", "text/javascript; charset=utf-8", catalogued_js, sizeof catalogued_js},
    {"/chart.js", "text/javascript; charset=utf-8", chart_js, sizeof chart_js},
    {"/conditions.js", "text/javascript; charset=utf-8", conditions_js, sizeof conditions_js},
    {"/detail.js", "text/javascript; charset=utf-8", detail_js, sizeof detail_js},
    {"/device.js", "text/javascript; charset=utf-8", device_js, sizeof device_js},
    {"/devices.js", "text/javascript; charset=utf-8", devices_js, sizeof devices_js},
    {"/dom.js", "text/javascript; charset=utf-8", dom_js, sizeof dom_js},
    {"/elements.js", "text/javascript; charset=utf-8", elements_js, sizeof elements_js},
    {"/events.js", "text/javascript; charset=utf-8", events_js, sizeof events_js},
    {"/failed.js", "text/javascript; charset=utf-8", failed_js, sizeof failed_js},
    {"/feed.js", "text/javascript; charset=utf-8", feed_js, sizeof feed_js},
    {"/figures.js", "text/javascript; charset=utf-8", figures_js, sizeof figures_js},
    {"/filter.js", "text/javascript; charset=utf-8", filter_js, sizeof filter_js},
    {"/fleet.js", "text/javascript; charset=utf-8", fleet_js, sizeof fleet_js},
    {"/form.js", "text/javascript; charset=utf-8", form_js, sizeof form_js},
    {"/format.js", "text/javascript; charset=utf-8", format_js, sizeof format_js},
    {"/funnel.js", "text/javascript; charset=utf-8", funnel_js, sizeof funnel_js},
    {"/groups.js", "text/javascript; charset=utf-8", groups_js, sizeof groups_js},
    {"/habits.js", "text/javascript; charset=utf-8", habits_js, sizeof habits_js},
    {"/history.js", "text/javascript; charset=utf-8", history_js, sizeof history_js},
    {"/json.js", "text/javascript; charset=utf-8", json_js, sizeof json_js},
    {"/kinds.js", "text/javascript; charset=utf-8", kinds_js, sizeof kinds_js},
    {"/ledger.js", "text/javascript; charset=utf-8", ledger_js, sizeof ledger_js},
    {"/life.js", "text/javascript; charset=utf-8", life_js, sizeof life_js},
    {"/links.js", "text/javascript; charset=utf-8", links_js, sizeof links_js},
    {"/meter.js", "text/javascript; charset=utf-8", meter_js, sizeof meter_js},
    {"/metres.js", "text/javascript; charset=utf-8", metres_js, sizeof metres_js},
    {"/modes.js", "text/javascript; charset=utf-8", modes_js, sizeof modes_js},
    {"/moment.js", "text/javascript; charset=utf-8", moment_js, sizeof moment_js},
    {"/moments.js", "text/javascript; charset=utf-8", moments_js, sizeof moments_js},
    {"/palette.js", "text/javascript; charset=utf-8", palette_js, sizeof palette_js},
    {"/paths.js", "text/javascript; charset=utf-8", paths_js, sizeof paths_js},
    {"/people.js", "text/javascript; charset=utf-8", people_js, sizeof people_js},
    {"/person.js", "text/javascript; charset=utf-8", person_js, sizeof person_js},
    {"/places.js", "text/javascript; charset=utf-8", places_js, sizeof places_js},
    {"/plan.js", "text/javascript; charset=utf-8", plan_js, sizeof plan_js},
    {"/plot.js", "text/javascript; charset=utf-8", plot_js, sizeof plot_js},
    {"/properties.js", "text/javascript; charset=utf-8", properties_js, sizeof properties_js},
    {"/questions.js", "text/javascript; charset=utf-8", questions_js, sizeof questions_js},
    {"/range.js", "text/javascript; charset=utf-8", range_js, sizeof range_js},
    {"/report.js", "text/javascript; charset=utf-8", report_js, sizeof report_js},
    {"/retention.js", "text/javascript; charset=utf-8", retention_js, sizeof retention_js},
    {"/saving.js", "text/javascript; charset=utf-8", saving_js, sizeof saving_js},
    {"/screens.js", "text/javascript; charset=utf-8", screens_js, sizeof screens_js},
    {"/sessions.js", "text/javascript; charset=utf-8", sessions_js, sizeof sessions_js},
    {"/shared.js", "text/javascript; charset=utf-8", shared_js, sizeof shared_js},
    {"/states.js", "text/javascript; charset=utf-8", states_js, sizeof states_js},
    {"/steps.js", "text/javascript; charset=utf-8", steps_js, sizeof steps_js},
    {"/stream.js", "text/javascript; charset=utf-8", stream_js, sizeof stream_js},
    {"/stretches.js", "text/javascript; charset=utf-8", stretches_js, sizeof stretches_js},
    {"/strips.js", "text/javascript; charset=utf-8", strips_js, sizeof strips_js},
    {"/suggestions.js", "text/javascript; charset=utf-8", suggestions_js, sizeof suggestions_js},
    {"/timechoice.js", "text/javascript; charset=utf-8", timechoice_js, sizeof timechoice_js},
    {"/timescale.js", "text/javascript; charset=utf-8", timescale_js, sizeof timescale_js},
    {"/trends.js", "text/javascript; charset=utf-8", trends_js, sizeof trends_js},
    {"/values.js", "text/javascript; charset=utf-8", values_js, sizeof values_js},
    {"/visitors.js", "text/javascript; charset=utf-8", visitors_js, sizeof visitors_js},
    {"/zones.js", "text/javascript; charset=utf-8", zones_js, sizeof zones_js},
};

const size_t web_asset_count = sizeof web_assets / sizeof web_assets[0];

struct web_asset web_asset_at(size_t index) { return web_assets[index]; }
