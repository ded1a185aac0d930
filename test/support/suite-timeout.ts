/** Gives the tests of a suite its time limit: Jest reads `testTimeout` of the root config only. */
declare const suiteTimeoutMs: number;
jest.setTimeout(suiteTimeoutMs);
