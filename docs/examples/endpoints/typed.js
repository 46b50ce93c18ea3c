// GET /1.0/typed?ids=3&ids=1: the same with types. An editor, and `tsc --checkJs`, find mistakes before they are posted.
// @ts-check
/** @type {import('../../../sandbox/endpoint.d.ts').Handler} */
module.exports.get = (req, res) => {
  const { ids } = req.query;
  const numbers = [ids ?? []].flat().map(Number).filter(Number.isInteger);
  numbers.sort((a, b) => a - b);
  res.json({ numbers, caller: req.client?.clientId ?? 'nobody' });
};
