"use strict";
(() => {
  const missingLast = (a, b) => (a === null) - (b === null);

  const value = (cell) => {
    if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
    const text = cell.textContent.trim();
    return text === "–" ? null : text;
  };

  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));

  const sortBy = (header) => {
    const table = header.closest("table");
    const column = header.cellIndex;
    const numeric = header.classList.contains("number");
    const now = header.getAttribute("aria-sort");
    const first = numeric ? "descending" : "ascending";
    const second = numeric ? "ascending" : "descending";
    const order = now === first ? second : first;
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [value(row.cells[column]), row]);
    rows.sort(([a], [b]) => missingLast(a, b) || (a === null ? 0 : sign * compare(a, b)));
    body.append(...rows.map(([, row]) => row));
  };

  for (const button of document.querySelectorAll("thead button")) {
    button.addEventListener("click", () => sortBy(button.closest("th")));
  }

  // A shadow at the sides where a table can be scrolled.
  const hint = (box) => {
    const rest = box.scrollWidth - box.clientWidth - box.scrollLeft;
    box.parentElement.classList.toggle("left", box.scrollLeft > 1);
    box.parentElement.classList.toggle("right", rest > 1);
  };
  const resized = new ResizeObserver((entries) => entries.forEach((entry) => hint(entry.target)));
  for (const box of document.querySelectorAll(".box")) {
    box.addEventListener("scroll", () => hint(box), { passive: true });
    resized.observe(box);
  }

  const form = document.querySelector(".filters");
  const names = ["pair", "seeds", "method"];

  const apply = () => {
    const wanted = names
      .map((name) => [name, form.elements[name] ? form.elements[name].value : ""])
      .filter(([, chosen]) => chosen !== "");
    form.classList.toggle("on", wanted.length > 0);
    for (const part of document.querySelectorAll("[data-pair], [data-seeds], [data-method]")) {
      part.hidden = wanted.some(
        ([name, chosen]) => part.dataset[name] !== undefined && part.dataset[name] !== chosen,
      );
    }
    for (const box of document.querySelectorAll(".box")) {
      const rows = [...box.querySelectorAll("tbody tr")];
      const empty = rows.length > 0 && rows.every((row) => row.hidden);
      box.parentElement.hidden = empty;
      box.parentElement.nextElementSibling.hidden = !empty;
      hint(box);
    }
  };

  if (form) {
    form.hidden = false;
    form.addEventListener("change", apply);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(apply));
    apply();
  }

  const menu = document.querySelector("nav details");
  if (menu && matchMedia("(max-width: 1000px)").matches) menu.open = false;

  const links = new Map(
    [...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]),
  );
  const seen = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        for (const link of links.values()) link.classList.remove("here");
        links.get(entry.target.id)?.classList.add("here");
      }
    },
    { rootMargin: "-20% 0px -70% 0px" },
  );
  for (const section of document.querySelectorAll("main > section")) seen.observe(section);
})();
