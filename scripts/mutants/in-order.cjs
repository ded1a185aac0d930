/** Runs tests in the order in which the command names them, and the quickest of those that one names. */
const { default: Sequencer } = require('@jest/test-sequencer');

const names = process.argv.slice(process.argv.indexOf('--') + 1).map((name) => new RegExp(name));

module.exports = class InOrder extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => names.findIndex((name) => name.test(path));
    // Jest's own order sets the durations of earlier runs.
    return super
      .sort(tests)
      .sort((a, b) => rank(a) - rank(b) || (a.duration ?? 1000) - (b.duration ?? 1000));
  }
};
