/**
 * The proleptic Gregorian calendar in UTC as plain integers: Date's own parsing is slow, and
 * Date.UTC moves the years 0 to 99.
 */

/** Milliseconds of one day. */
export const dayMs = 86_400_000;
/** 0000-01-01T00:00:00.000Z, the first moment four digits of a year can tell. */
export const firstFourDigitMs = -62_167_219_200_000;
/** 9999-12-31T23:59:59.999Z, the last one. */
export const lastFourDigitMs = 253_402_300_799_999;

/**
 * Days since 1970-01-01 as year * 10,000 + month * 100 + day. Source: Howard Hinnant,
 * civil_from_days.
 */
export function civilFromDays(days: number): number {
  // Years are moved on by 400, so that divisions are of whole numbers and cut as floor does.
  const shifted = (days + 719_468 + 146_097) | 0;
  const era = (shifted / 146_097) | 0;
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra =
    ((dayOfEra - ((dayOfEra / 1460) | 0) + ((dayOfEra / 36_524) | 0) - ((dayOfEra / 146_096) | 0)) /
      365) |
    0;
  const dayOfYear = dayOfEra - (365 * yearOfEra + ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0));
  const shiftedMonth = ((5 * dayOfYear + 2) / 153) | 0;
  const day = dayOfYear - (((153 * shiftedMonth + 2) / 5) | 0) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return (yearOfEra + (era - 1) * 400 + (month <= 2 ? 1 : 0)) * 10_000 + month * 100 + day;
}

/**
 * Days since 1970-01-01 of year * 10,000 + month * 100 + day; NaN when there is no such day.
 * Source: Hinnant, days_from_civil.
 */
export function daysFromCivil(civil: number): number {
  const whole = civil | 0;
  const day = whole % 100;
  const month = ((whole / 100) | 0) % 100;
  const year = (whole / 10_000) | 0;
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return NaN;
  const shiftedYear = (month <= 2 ? year - 1 : year) + 400;
  const era = (shiftedYear / 400) | 0;
  const yearOfEra = shiftedYear - era * 400;
  const dayOfYear = (((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) | 0) + day - 1;
  return (
    (era - 1) * 146_097 +
    yearOfEra * 365 +
    ((yearOfEra / 4) | 0) -
    ((yearOfEra / 100) | 0) +
    dayOfYear -
    719_468
  );
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
