/**
 * The proleptic Gregorian calendar in UTC, in integer arithmetic. Date parses slowly, and Date.UTC
 * maps the years 0 to 99 to 1900 to 1999.
 */

/** Milliseconds of one hour. */
export const hourMs = 3_600_000;
/** Milliseconds of one day. */
export const dayMs = 86_400_000;
/** 0000-01-01T00:00:00.000Z, the first instant with a four-digit year. */
export const firstFourDigitMs = -62_167_219_200_000;
/** 9999-12-31T23:59:59.999Z, the last one. */
export const lastFourDigitMs = 253_402_300_799_999;

/**
 * Days since 1970-01-01 as year * 10,000 + month * 100 + day. Source: Howard Hinnant,
 * civil_from_days.
 */
export function civilFromDays(days: number): number {
  // Shifted by 400 years, so that every quotient is positive and truncating equals flooring.
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
  const year = yearOfEra + (era - 1) * 400;
  // The algorithm's year starts in March: January and February belong to the next calendar year.
  if (shiftedMonth >= 10) return (year + 1) * 10_000 + (shiftedMonth - 9) * 100 + day;
  return year * 10_000 + (shiftedMonth + 3) * 100 + day;
}

/**
 * Days since 1970-01-01 of year * 10,000 + month * 100 + day; NaN if there is no such day.
 * Source: Howard Hinnant, days_from_civil.
 */
export function daysFromCivil(civil: number): number {
  const whole = civil | 0;
  const day = whole % 100;
  const month = ((whole / 100) | 0) % 100;
  const year = (whole / 10_000) | 0;
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return NaN;
  let shiftedYear = year + 400;
  if (month <= 2) shiftedYear--;
  const era = (shiftedYear / 400) | 0;
  const yearOfEra = shiftedYear - era * 400;
  const dayOfYear = (((153 * ((month + 9) % 12) + 2) / 5) | 0) + day - 1;
  return (
    (era - 1) * 146_097 +
    yearOfEra * 365 +
    ((yearOfEra / 4) | 0) -
    ((yearOfEra / 100) | 0) +
    dayOfYear -
    719_468
  );
}

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function daysInMonth(year: number, month: number): number {
  if (month === 2 && isLeapYear(year)) return 29;
  return monthDays[month - 1];
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
