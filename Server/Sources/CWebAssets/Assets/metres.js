// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Converts degrees to meters on a plane, which is accurate enough for the movements of one device.

const earthRadius = 6_371_008.8;
const oneDegree = Math.PI / 180;

/** Returns whether a location can be drawn: a sender can send any value. */
export const isPlace = (location) =>
  location !== null && location !== undefined && Number.isFinite(location.latitude) && Number.isFinite(location.longitude) &&
  Math.abs(location.latitude) <= 90 && Math.abs(location.longitude) <= 180;

/** Returns the locations as {x, y} in meters east and north of the origin; both axes have the same scale. */
export function project(locations, origin) {
  const narrowing = Math.cos(origin.latitude * oneDegree);
  return locations.map(({ latitude, longitude }) => {
    let east = longitude - origin.longitude;
    // The shorter way around, so that a path across the 180th meridian stays continuous.
    if (east > 180) east -= 360;
    if (east < -180) east += 360;
    return { x: earthRadius * east * oneDegree * narrowing, y: earthRadius * (latitude - origin.latitude) * oneDegree };
  });
}

/** Returns the diagonal in meters of the bounding box of points in meters. */
export function reach(points) {
  const [xs, ys] = [points.map((point) => point.x), points.map((point) => point.y)];
  return Math.hypot(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
}

/** The largest of 1, 2, 5, 10, 20, … that is at most this. */
export function roundBelow(metres) {
  const power = 10 ** Math.floor(Math.log10(metres));
  return [5, 2, 1].map((factor) => factor * power).find((step) => step <= metres) ?? power;
}

/** "8 m", "340 m", "1.2 km", "1,240 km". */
export function distance(metres) {
  if (metres < 10 && metres % 1 !== 0) return `${metres.toFixed(1)} m`;
  if (metres < 1000) return `${Math.round(metres)} m`;
  return `${(metres / 1000).toLocaleString("en", { maximumFractionDigits: metres < 100_000 ? 1 : 0 })} km`;
}

/** "48.13714, 11.57536": five decimals are about a meter. */
export const coordinates = ({ latitude, longitude }) => `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
