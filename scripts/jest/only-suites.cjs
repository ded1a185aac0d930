/** Jest's filter for the suites of the file ONLY_SUITES. */
const { suitesIn } = require('./failed-suites.cjs');

const ends = suitesIn(process.env.ONLY_SUITES).map((name) => `/${name}`);

module.exports = (paths) => ({
  filtered: paths.filter((path) => ends.some((end) => path.replaceAll('\\', '/').endsWith(end))),
});
