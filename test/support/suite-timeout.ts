/**
 * Gives the tests of a suite its time limit: Jest reads `testTimeout` of the root config only.
 * Campaigns (scripts/campaigns.mjs) run longer tests, and end them themselves.
 */
declare const suiteTimeoutMs: number;
jest.setTimeout(process.env.CAMPAIGN === undefined ? suiteTimeoutMs : 3_600_000);
