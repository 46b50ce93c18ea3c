// GET /1.0/retry: async code, timers, and work in parallel. Waiting costs no CPU, but the wall clock runs.
module.exports.model = { settings: { authenticate: false } };

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function attempt(work, times) {
  for (let n = 1; ; n += 1) {
    try {
      return await work(n);
    } catch (error) {
      if (n === times) throw error;
      await pause(10 * n);
    }
  }
}

async function flaky(n) {
  if (n < 3) throw new Error('not yet');
  return `attempt ${n}`;
}

module.exports.get = async (req, res) => {
  const [first, second] = await Promise.all([attempt(flaky, 5), pause(20).then(() => 'waited')]);
  res.json({ first, second });
};
