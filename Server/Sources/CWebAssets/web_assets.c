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
static const unsigned char live_table_css[] = {
#embed "Assets/live-table.css"
};
static const unsigned char ledger_css[] = {
#embed "Assets/ledger.css"
};
static const unsigned char rejection_groups_css[] = {
#embed "Assets/rejection-groups.css"
};
static const unsigned char users_css[] = {
#embed "Assets/users.css"
};
static const unsigned char user_details_css[] = {
#embed "Assets/user-details.css"
};
static const unsigned char devices_css[] = {
#embed "Assets/devices.css"
};
static const unsigned char device_states_css[] = {
#embed "Assets/device-states.css"
};
static const unsigned char insights_css[] = {
#embed "Assets/insights.css"
};
static const unsigned char charts_css[] = {
#embed "Assets/charts.css"
};
static const unsigned char catalog_css[] = {
#embed "Assets/catalog.css"
};
static const unsigned char tracking_plan_css[] = {
#embed "Assets/tracking-plan.css"
};
static const unsigned char boards_css[] = {
#embed "Assets/boards.css"
};
static const unsigned char erasures_css[] = {
#embed "Assets/erasures.css"
};
static const unsigned char consent_decisions_js[] = {
#embed "Assets/consent-decisions.js"
};
static const unsigned char download_js[] = {
#embed "Assets/download.js"
};
static const unsigned char erase_dialog_js[] = {
#embed "Assets/erase-dialog.js"
};
static const unsigned char erasures_js[] = {
#embed "Assets/erasures.js"
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
static const unsigned char alert_form_js[] = {
#embed "Assets/alert-form.js"
};
static const unsigned char alert_text_js[] = {
#embed "Assets/alert-text.js"
};
static const unsigned char alerts_js[] = {
#embed "Assets/alerts.js"
};
static const unsigned char api_js[] = {
#embed "Assets/api.js"
};
static const unsigned char app_js[] = {
#embed "Assets/app.js"
};
static const unsigned char battery_icon_js[] = {
#embed "Assets/battery-icon.js"
};
static const unsigned char battery_plot_js[] = {
#embed "Assets/battery-plot.js"
};
static const unsigned char board_cards_js[] = {
#embed "Assets/board-cards.js"
};
static const unsigned char board_view_js[] = {
#embed "Assets/board-view.js"
};
static const unsigned char boards_js[] = {
#embed "Assets/boards.js"
};
static const unsigned char catalog_js[] = {
#embed "Assets/catalog.js"
};
static const unsigned char chart_axis_js[] = {
#embed "Assets/chart-axis.js"
};
static const unsigned char chart_js[] = {
#embed "Assets/chart.js"
};
static const unsigned char client_data_report_js[] = {
#embed "Assets/client-data-report.js"
};
static const unsigned char cohorts_dialog_js[] = {
#embed "Assets/cohorts-dialog.js"
};
static const unsigned char data_table_js[] = {
#embed "Assets/data-table.js"
};
static const unsigned char details_drawer_js[] = {
#embed "Assets/details-drawer.js"
};
static const unsigned char device_list_js[] = {
#embed "Assets/device-list.js"
};
static const unsigned char device_properties_js[] = {
#embed "Assets/device-properties.js"
};
static const unsigned char device_view_js[] = {
#embed "Assets/device-view.js"
};
static const unsigned char devices_js[] = {
#embed "Assets/devices.js"
};
static const unsigned char distance_js[] = {
#embed "Assets/distance.js"
};
static const unsigned char dom_js[] = {
#embed "Assets/dom.js"
};
static const unsigned char event_colors_js[] = {
#embed "Assets/event-colors.js"
};
static const unsigned char event_description_js[] = {
#embed "Assets/event-description.js"
};
static const unsigned char event_trace_js[] = {
#embed "Assets/event-trace.js"
};
static const unsigned char filter_conditions_js[] = {
#embed "Assets/filter-conditions.js"
};
static const unsigned char filter_js[] = {
#embed "Assets/filter.js"
};
static const unsigned char form_fields_js[] = {
#embed "Assets/form-fields.js"
};
static const unsigned char format_js[] = {
#embed "Assets/format.js"
};
static const unsigned char funnel_steps_js[] = {
#embed "Assets/funnel-steps.js"
};
static const unsigned char funnel_js[] = {
#embed "Assets/funnel.js"
};
static const unsigned char insight_types_js[] = {
#embed "Assets/insight-types.js"
};
static const unsigned char insights_js[] = {
#embed "Assets/insights.js"
};
static const unsigned char interactions_js[] = {
#embed "Assets/interactions.js"
};
static const unsigned char json_js[] = {
#embed "Assets/json.js"
};
static const unsigned char ledger_js[] = {
#embed "Assets/ledger.js"
};
static const unsigned char lifecycle_stickiness_js[] = {
#embed "Assets/lifecycle-stickiness.js"
};
static const unsigned char live_events_js[] = {
#embed "Assets/live-events.js"
};
static const unsigned char live_feed_js[] = {
#embed "Assets/live-feed.js"
};
static const unsigned char live_table_js[] = {
#embed "Assets/live-table.js"
};
static const unsigned char location_plot_js[] = {
#embed "Assets/location-plot.js"
};
static const unsigned char paths_js[] = {
#embed "Assets/paths.js"
};
static const unsigned char point_events_js[] = {
#embed "Assets/point-events.js"
};
static const unsigned char point_people_js[] = {
#embed "Assets/point-people.js"
};
static const unsigned char property_history_js[] = {
#embed "Assets/property-history.js"
};
static const unsigned char property_values_js[] = {
#embed "Assets/property-values.js"
};
static const unsigned char query_params_js[] = {
#embed "Assets/query-params.js"
};
static const unsigned char rate_chart_js[] = {
#embed "Assets/rate-chart.js"
};
static const unsigned char rejection_groups_js[] = {
#embed "Assets/rejection-groups.js"
};
static const unsigned char rejections_js[] = {
#embed "Assets/rejections.js"
};
static const unsigned char replay_js[] = {
#embed "Assets/replay.js"
};
static const unsigned char retention_js[] = {
#embed "Assets/retention.js"
};
static const unsigned char save_card_dialog_js[] = {
#embed "Assets/save-card-dialog.js"
};
static const unsigned char screens_js[] = {
#embed "Assets/screens.js"
};
static const unsigned char sections_js[] = {
#embed "Assets/sections.js"
};
static const unsigned char sessions_js[] = {
#embed "Assets/sessions.js"
};
static const unsigned char share_dialog_js[] = {
#embed "Assets/share-dialog.js"
};
static const unsigned char shared_board_js[] = {
#embed "Assets/shared-board.js"
};
static const unsigned char state_details_js[] = {
#embed "Assets/state-details.js"
};
static const unsigned char state_strips_js[] = {
#embed "Assets/state-strips.js"
};
static const unsigned char state_table_js[] = {
#embed "Assets/state-table.js"
};
static const unsigned char state_timeline_js[] = {
#embed "Assets/state-timeline.js"
};
static const unsigned char suggestions_js[] = {
#embed "Assets/suggestions.js"
};
static const unsigned char time_range_select_js[] = {
#embed "Assets/time-range-select.js"
};
static const unsigned char time_range_js[] = {
#embed "Assets/time-range.js"
};
static const unsigned char time_scale_js[] = {
#embed "Assets/time-scale.js"
};
static const unsigned char time_zones_js[] = {
#embed "Assets/time-zones.js"
};
static const unsigned char project_calendar_js[] = {
#embed "Assets/project-calendar.js"
};
static const unsigned char tracking_plan_js[] = {
#embed "Assets/tracking-plan.js"
};
static const unsigned char trends_js[] = {
#embed "Assets/trends.js"
};
static const unsigned char url_js[] = {
#embed "Assets/url.js"
};
static const unsigned char user_list_js[] = {
#embed "Assets/user-list.js"
};
static const unsigned char user_profile_js[] = {
#embed "Assets/user-profile.js"
};
static const unsigned char user_timeline_js[] = {
#embed "Assets/user-timeline.js"
};
static const unsigned char users_js[] = {
#embed "Assets/users.js"
};
static const unsigned char value_ranges_js[] = {
#embed "Assets/value-ranges.js"
};

static const struct web_asset web_assets[] = {
    {"/", "text/html; charset=utf-8", index_html, sizeof index_html},
    {"/app.css", "text/css; charset=utf-8", app_css, sizeof app_css},
    {"/layout.css", "text/css; charset=utf-8", layout_css, sizeof layout_css},
    {"/live-table.css", "text/css; charset=utf-8", live_table_css, sizeof live_table_css},
    {"/ledger.css", "text/css; charset=utf-8", ledger_css, sizeof ledger_css},
    {"/rejection-groups.css", "text/css; charset=utf-8", rejection_groups_css, sizeof rejection_groups_css},
    {"/users.css", "text/css; charset=utf-8", users_css, sizeof users_css},
    {"/user-details.css", "text/css; charset=utf-8", user_details_css, sizeof user_details_css},
    {"/devices.css", "text/css; charset=utf-8", devices_css, sizeof devices_css},
    {"/device-states.css", "text/css; charset=utf-8", device_states_css, sizeof device_states_css},
    {"/insights.css", "text/css; charset=utf-8", insights_css, sizeof insights_css},
    {"/charts.css", "text/css; charset=utf-8", charts_css, sizeof charts_css},
    {"/catalog.css", "text/css; charset=utf-8", catalog_css, sizeof catalog_css},
    {"/tracking-plan.css", "text/css; charset=utf-8", tracking_plan_css, sizeof tracking_plan_css},
    {"/boards.css", "text/css; charset=utf-8", boards_css, sizeof boards_css},
    {"/erasures.css", "text/css; charset=utf-8", erasures_css, sizeof erasures_css},
    {"/consent-decisions.js", "text/javascript; charset=utf-8", consent_decisions_js, sizeof consent_decisions_js},
    {"/download.js", "text/javascript; charset=utf-8", download_js, sizeof download_js},
    {"/erase-dialog.js", "text/javascript; charset=utf-8", erase_dialog_js, sizeof erase_dialog_js},
    {"/erasures.js", "text/javascript; charset=utf-8", erasures_js, sizeof erasures_js},
    {"/alerts.css", "text/css; charset=utf-8", alerts_css, sizeof alerts_css},
    {"/narrow.css", "text/css; charset=utf-8", narrow_css, sizeof narrow_css},
    {"/touch.css", "text/css; charset=utf-8", touch_css, sizeof touch_css},
    {"/icon.svg", "image/svg+xml", icon_svg, sizeof icon_svg},
    {"/alert-form.js", "text/javascript; charset=utf-8", alert_form_js, sizeof alert_form_js},
    {"/alert-text.js", "text/javascript; charset=utf-8", alert_text_js, sizeof alert_text_js},
    {"/alerts.js", "text/javascript; charset=utf-8", alerts_js, sizeof alerts_js},
    {"/api.js", "text/javascript; charset=utf-8", api_js, sizeof api_js},
    {"/app.js", "text/javascript; charset=utf-8", app_js, sizeof app_js},
    {"/battery-icon.js", "text/javascript; charset=utf-8", battery_icon_js, sizeof battery_icon_js},
    {"/battery-plot.js", "text/javascript; charset=utf-8", battery_plot_js, sizeof battery_plot_js},
    {"/board-cards.js", "text/javascript; charset=utf-8", board_cards_js, sizeof board_cards_js},
    {"/board-view.js", "text/javascript; charset=utf-8", board_view_js, sizeof board_view_js},
    {"/boards.js", "text/javascript; charset=utf-8", boards_js, sizeof boards_js},
    {"/catalog.js", "text/javascript; charset=utf-8", catalog_js, sizeof catalog_js},
    {"/chart-axis.js", "text/javascript; charset=utf-8", chart_axis_js, sizeof chart_axis_js},
    {"/chart.js", "text/javascript; charset=utf-8", chart_js, sizeof chart_js},
    {"/client-data-report.js", "text/javascript; charset=utf-8", client_data_report_js, sizeof client_data_report_js},
    {"/cohorts-dialog.js", "text/javascript; charset=utf-8", cohorts_dialog_js, sizeof cohorts_dialog_js},
    {"/data-table.js", "text/javascript; charset=utf-8", data_table_js, sizeof data_table_js},
    {"/details-drawer.js", "text/javascript; charset=utf-8", details_drawer_js, sizeof details_drawer_js},
    {"/device-list.js", "text/javascript; charset=utf-8", device_list_js, sizeof device_list_js},
    {"/device-properties.js", "text/javascript; charset=utf-8", device_properties_js, sizeof device_properties_js},
    {"/device-view.js", "text/javascript; charset=utf-8", device_view_js, sizeof device_view_js},
    {"/devices.js", "text/javascript; charset=utf-8", devices_js, sizeof devices_js},
    {"/distance.js", "text/javascript; charset=utf-8", distance_js, sizeof distance_js},
    {"/dom.js", "text/javascript; charset=utf-8", dom_js, sizeof dom_js},
    {"/event-colors.js", "text/javascript; charset=utf-8", event_colors_js, sizeof event_colors_js},
    {"/event-description.js", "text/javascript; charset=utf-8", event_description_js, sizeof event_description_js},
    {"/event-trace.js", "text/javascript; charset=utf-8", event_trace_js, sizeof event_trace_js},
    {"/filter-conditions.js", "text/javascript; charset=utf-8", filter_conditions_js, sizeof filter_conditions_js},
    {"/filter.js", "text/javascript; charset=utf-8", filter_js, sizeof filter_js},
    {"/form-fields.js", "text/javascript; charset=utf-8", form_fields_js, sizeof form_fields_js},
    {"/format.js", "text/javascript; charset=utf-8", format_js, sizeof format_js},
    {"/funnel-steps.js", "text/javascript; charset=utf-8", funnel_steps_js, sizeof funnel_steps_js},
    {"/funnel.js", "text/javascript; charset=utf-8", funnel_js, sizeof funnel_js},
    {"/insight-types.js", "text/javascript; charset=utf-8", insight_types_js, sizeof insight_types_js},
    {"/insights.js", "text/javascript; charset=utf-8", insights_js, sizeof insights_js},
    {"/interactions.js", "text/javascript; charset=utf-8", interactions_js, sizeof interactions_js},
    {"/json.js", "text/javascript; charset=utf-8", json_js, sizeof json_js},
    {"/ledger.js", "text/javascript; charset=utf-8", ledger_js, sizeof ledger_js},
    {"/lifecycle-stickiness.js", "text/javascript; charset=utf-8", lifecycle_stickiness_js,
     sizeof lifecycle_stickiness_js},
    {"/live-events.js", "text/javascript; charset=utf-8", live_events_js, sizeof live_events_js},
    {"/live-feed.js", "text/javascript; charset=utf-8", live_feed_js, sizeof live_feed_js},
    {"/live-table.js", "text/javascript; charset=utf-8", live_table_js, sizeof live_table_js},
    {"/location-plot.js", "text/javascript; charset=utf-8", location_plot_js, sizeof location_plot_js},
    {"/paths.js", "text/javascript; charset=utf-8", paths_js, sizeof paths_js},
    {"/point-events.js", "text/javascript; charset=utf-8", point_events_js, sizeof point_events_js},
    {"/point-people.js", "text/javascript; charset=utf-8", point_people_js, sizeof point_people_js},
    {"/property-history.js", "text/javascript; charset=utf-8", property_history_js, sizeof property_history_js},
    {"/property-values.js", "text/javascript; charset=utf-8", property_values_js, sizeof property_values_js},
    {"/query-params.js", "text/javascript; charset=utf-8", query_params_js, sizeof query_params_js},
    {"/rate-chart.js", "text/javascript; charset=utf-8", rate_chart_js, sizeof rate_chart_js},
    {"/rejection-groups.js", "text/javascript; charset=utf-8", rejection_groups_js, sizeof rejection_groups_js},
    {"/rejections.js", "text/javascript; charset=utf-8", rejections_js, sizeof rejections_js},
    {"/replay.js", "text/javascript; charset=utf-8", replay_js, sizeof replay_js},
    {"/retention.js", "text/javascript; charset=utf-8", retention_js, sizeof retention_js},
    {"/save-card-dialog.js", "text/javascript; charset=utf-8", save_card_dialog_js, sizeof save_card_dialog_js},
    {"/screens.js", "text/javascript; charset=utf-8", screens_js, sizeof screens_js},
    {"/sections.js", "text/javascript; charset=utf-8", sections_js, sizeof sections_js},
    {"/sessions.js", "text/javascript; charset=utf-8", sessions_js, sizeof sessions_js},
    {"/share-dialog.js", "text/javascript; charset=utf-8", share_dialog_js, sizeof share_dialog_js},
    {"/shared-board.js", "text/javascript; charset=utf-8", shared_board_js, sizeof shared_board_js},
    {"/state-details.js", "text/javascript; charset=utf-8", state_details_js, sizeof state_details_js},
    {"/state-strips.js", "text/javascript; charset=utf-8", state_strips_js, sizeof state_strips_js},
    {"/state-table.js", "text/javascript; charset=utf-8", state_table_js, sizeof state_table_js},
    {"/state-timeline.js", "text/javascript; charset=utf-8", state_timeline_js, sizeof state_timeline_js},
    {"/suggestions.js", "text/javascript; charset=utf-8", suggestions_js, sizeof suggestions_js},
    {"/time-range-select.js", "text/javascript; charset=utf-8", time_range_select_js, sizeof time_range_select_js},
    {"/time-range.js", "text/javascript; charset=utf-8", time_range_js, sizeof time_range_js},
    {"/time-scale.js", "text/javascript; charset=utf-8", time_scale_js, sizeof time_scale_js},
    {"/project-calendar.js", "text/javascript; charset=utf-8", project_calendar_js, sizeof project_calendar_js},
    {"/time-zones.js", "text/javascript; charset=utf-8", time_zones_js, sizeof time_zones_js},
    {"/tracking-plan.js", "text/javascript; charset=utf-8", tracking_plan_js, sizeof tracking_plan_js},
    {"/trends.js", "text/javascript; charset=utf-8", trends_js, sizeof trends_js},
    {"/url.js", "text/javascript; charset=utf-8", url_js, sizeof url_js},
    {"/user-list.js", "text/javascript; charset=utf-8", user_list_js, sizeof user_list_js},
    {"/user-profile.js", "text/javascript; charset=utf-8", user_profile_js, sizeof user_profile_js},
    {"/user-timeline.js", "text/javascript; charset=utf-8", user_timeline_js, sizeof user_timeline_js},
    {"/users.js", "text/javascript; charset=utf-8", users_js, sizeof users_js},
    {"/value-ranges.js", "text/javascript; charset=utf-8", value_ranges_js, sizeof value_ranges_js},
};

const size_t web_asset_count = sizeof web_assets / sizeof web_assets[0];

struct web_asset web_asset_at(size_t index) { return web_assets[index]; }
