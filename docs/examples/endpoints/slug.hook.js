// A hook: gives every new document a slug made from another field.
module.exports = (obj, type, data) => {
  const from = data.options?.from ?? 'title';
  if (typeof obj[from] !== 'string') return obj;
  const slug = obj[from]
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return { ...obj, slug };
};
