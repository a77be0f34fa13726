-- SPDX-License-Identifier: Apache-2.0
-- Copyright 2026 the Trackway authors
--
-- Posts prepared bodies. BODIES is their folder and COUNT their number. With ONCE=1 every body is sent exactly once,
-- distributed over the threads, and each thread then stops; otherwise the bodies are sent repeatedly.

local folder = os.getenv("BODIES")
local count = tonumber(os.getenv("COUNT"))
local once = os.getenv("ONCE") == "1"
local key = os.getenv("KEY") or "bench"
local threads = tonumber(os.getenv("THREADS") or "2")
local started = 0

function setup(thread)
    thread:set("number", started)
    started = started + 1
end

function init(args)
    requests = {}
    local step = once and threads or 1
    local first = once and number or 0
    for index = first, count - 1, step do
        local file = io.open(folder .. "/" .. index .. ".gz", "rb")
        local body = file:read("*all")
        file:close()
        local headers = {
            ["content-type"] = "application/x-ndjson",
            ["content-encoding"] = "gzip",
            ["authorization"] = "Bearer " .. key,
        }
        requests[#requests + 1] = wrk.format("POST", "/v1/events", headers, body)
    end
    position = (not once and number * 37 % #requests) or 0
    answered = 0
end

function request()
    position = position % #requests + 1
    return requests[position]
end

function response(status, headers, body)
    if status ~= 200 and status ~= 204 then bad = (bad or 0) + 1 end
    answered = answered + 1
    if once and answered >= #requests then wrk.thread:stop() end
end

function done(summary, latency, requests)
    io.write(string.format("requests_per_second %.0f\n", summary.requests / (summary.duration / 1e6)))
    io.write(string.format("latency_p50_ms %.2f\nlatency_p99_ms %.2f\n", latency:percentile(50) / 1000,
        latency:percentile(99) / 1000))
    io.write(string.format("not_2xx %d\nsocket_errors %d\n", summary.errors.status,
        summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
