// GET /1.0/report: the whole collection as a CSV file to download, page by page.
const PAGE = 500;

/** Text in quotes, and never a formula for a spreadsheet. */
function cell(value) {
  const text = value === undefined || value === null ? '' : String(value);
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}

module.exports.get = async (req, res) => {
  res.type('text/csv; charset=utf-8');
  res.setHeader('Content-Disposition', 'attachment; filename="books.csv"');
  res.write('title,year\r\n');
  let page = 1;
  let pages = 1;
  while (page <= pages) {
    const found = await Model('books').find({}, { page, limit: PAGE, sort: { title: 1 } });
    for (const book of found.results) res.write(`${cell(book.title)},${cell(book.publicationYear)}\r\n`);
    pages = found.metadata.totalPages;
    page += 1;
  }
  res.end();
};
