/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The script inside of a flame graph (graph/flame_svg.c): zoom, search, keys. It needs no other file.
 * What is shown can be asked for behind the file's name: F.svg#zoom=12&search=tcp_ack.
 */
(function () {
	"use strict";
	var svg = document.currentScript ? document.currentScript.ownerSVGElement : document.documentElement;
	var LETTER = 6.63; /* width of a letter, as in flame_svg.c */
	var NEAR = 0.05; /* pixels: rounding */
	var details = svg.querySelector(".details"), found = svg.querySelector(".found");
	var reset = svg.querySelector(".reset"), search = svg.querySelector(".search");
	var boxes = [], root, zoomed, focused, term = "", typing = false;

	Array.prototype.forEach.call(svg.querySelectorAll(".boxes > g"), function (g, number) {
		var rect = g.querySelector("rect"), title = g.querySelector("title").textContent;
		var box = {
			g: g, rect: rect, number: number, text: g.querySelector("text"),
			name: title.split("\n")[0], about: title.replace("\n", ": "),
			x: parseFloat(rect.getAttribute("x")), y: parseFloat(rect.getAttribute("y")),
			width: parseFloat(rect.getAttribute("width")),
			height: parseFloat(rect.getAttribute("height"))
		};

		g.flameBox = box;
		boxes.push(box);
	});
	root = zoomed = focused = boxes[0];

	/* Whether @inner stands on @outer, or is it. */
	function holds(outer, inner) {
		return inner.y <= outer.y + NEAR && inner.x >= outer.x - NEAR &&
			inner.x + inner.width <= outer.x + outer.width + NEAR;
	}

	function label(box, width) {
		var letters = Math.floor((width - 6) / LETTER), text = box.text;

		if (!text) {
			if (letters < 3)
				return;
			text = document.createElementNS("http://www.w3.org/2000/svg", "text");
			text.setAttribute("y", box.y + box.height - 4.5);
			box.g.appendChild(box.text = text);
		}
		text.textContent = letters < 3 ? "" :
			box.name.length <= letters ? box.name : box.name.slice(0, letters - 1) + "\u2026";
	}

	function place(box, x, width) {
		box.rect.setAttribute("x", x);
		box.rect.setAttribute("width", Math.max(width, 0.1));
		label(box, width);
		if (box.text)
			box.text.setAttribute("x", x + 3);
	}

	/* "#zoom=12&search=tcp", so that the view can be shared; browsers refuse that for some files. */
	function remember() {
		var parts = [];

		if (zoomed !== root)
			parts.push("zoom=" + zoomed.number);
		if (term)
			parts.push("search=" + encodeURIComponent(term));
		try {
			history.replaceState(null, "", parts.length ? "#" + parts.join("&") : location.pathname);
		} catch (e) { /* the view is not in the address, then */ }
	}

	function zoom(to) {
		var scale = root.width / to.width;

		zoomed = to;
		boxes.forEach(function (box) {
			var below = !holds(to, box) && box.y > to.y - NEAR && holds(box, to);

			box.hidden = !holds(to, box) && !below;
			box.g.setAttribute("display", box.hidden ? "none" : "inline");
			box.g.classList.toggle("below", below);
			if (below)
				place(box, root.x, root.width);
			else if (!box.hidden)
				place(box, root.x + (box.x - to.x) * scale, box.width * scale);
		});
		reset.setAttribute("display", to === root ? "none" : "inline");
		if (focused.hidden)
			focus(to);
		if (term)
			mark();
	}

	/* What contains the term, as a regular expression if it is one; large and small letters alike. */
	function matcher() {
		var small = term.toLowerCase(), expression;

		try {
			expression = new RegExp(term, "i");
		} catch (e) {
			return function (name) { return name.toLowerCase().indexOf(small) >= 0; };
		}
		return function (name) { return expression.test(name); };
	}

	/* A box on a marked one is in its share already. Callers come before what they called. */
	function mark() {
		var matches = term ? matcher() : null, share = 0, top = [];

		boxes.forEach(function (box) {
			var hit = matches && box !== root && matches(box.name);

			box.g.classList.toggle("hit", !!hit);
			if (!hit || box.hidden || box.g.classList.contains("below"))
				return;
			if (!top.some(function (other) { return holds(other, box); })) {
				top.push(box);
				share += box.width / zoomed.width;
			}
		});
		found.textContent = typing ? "Search: " + term + "\u2588" :
			term ? "\u201c" + term + "\u201d: " + (100 * share).toFixed(2) + " %" : "";
		search.textContent = term ? "Clear search" : "Search";
	}

	function seek(text) {
		term = text;
		mark();
		remember();
	}

	function tell(box) {
		details.textContent = box.about;
	}

	function focus(box) {
		focused.g.setAttribute("tabindex", "-1");
		focused = box;
		box.g.setAttribute("tabindex", "0");
		tell(box);
	}

	function go(box) {
		if (!box)
			return;
		focus(box);
		box.g.focus();
	}

	function shownX(box) {
		return parseFloat(box.rect.getAttribute("x"));
	}

	/* The widest box on @from, or the box that it stands on. */
	function neighbour(from, up) {
		var best = null;

		boxes.forEach(function (box) {
			var row = up ? box.y < from.y && box.y + box.height * 1.5 > from.y :
				box.y > from.y && box.y < from.y + box.height * 1.5;

			if (row && !box.hidden && (up ? holds(from, box) : holds(box, from)) &&
			    (!best || box.width > best.width))
				best = box;
		});
		return best;
	}

	/* The next of the same row, to the right (1) or to the left (-1). */
	function beside(from, way) {
		var best = null;

		boxes.forEach(function (box) {
			var far = (shownX(box) - shownX(from)) * way;

			if (!box.hidden && Math.abs(box.y - from.y) < NEAR && far > 0 &&
			    (!best || far < (shownX(best) - shownX(from)) * way))
				best = box;
		});
		return best;
	}

	function zoomTo(box) {
		zoom(box);
		remember();
	}

	function boxOf(target) {
		while (target && target !== svg && !target.flameBox)
			target = target.parentNode;
		return target && target.flameBox;
	}

	function type(event) {
		if (event.key === "Enter")
			typing = false;
		else if (event.key === "Escape")
			typing = false, term = "";
		else if (event.key === "Backspace")
			term = term.slice(0, -1);
		else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey)
			term += event.key;
		else
			return;
		event.preventDefault();
		seek(term);
	}

	function onKey(event) {
		var moves = {ArrowUp: [neighbour, true], ArrowDown: [neighbour, false],
			ArrowLeft: [beside, -1], ArrowRight: [beside, 1]};

		if (typing)
			return type(event);
		if (event.key === "/" || (event.key === "f" && (event.ctrlKey || event.metaKey))) {
			typing = true;
			seek("");
		} else if (event.ctrlKey || event.metaKey || event.altKey) {
			return;
		} else if (event.key === "Escape") {
			if (term)
				seek("");
			else
				zoomTo(root);
		} else if (event.key === "Enter" || event.key === " ") {
			zoomTo(focused);
		} else if (moves[event.key]) {
			go(moves[event.key][0](focused, moves[event.key][1]));
		} else {
			return;
		}
		event.preventDefault();
	}

	function onSearch() {
		var text = term ? "" : window.prompt("Function, or part of its name (a regular expression):");

		if (text !== null)
			seek(text);
	}

	function onLink(act) {
		return function (event) {
			if (event.type === "keydown" && event.key !== "Enter")
				return;
			event.stopPropagation();
			event.preventDefault();
			act();
		};
	}

	function start() {
		var zoomNumber = /[#&]zoom=(\d+)/.exec(location.hash), asked = /[#&]search=([^&]*)/.exec(location.hash);

		if (zoomNumber && boxes[zoomNumber[1]])
			zoom(boxes[zoomNumber[1]]);
		if (asked)
			term = decodeURIComponent(asked[1]), mark();
	}

	svg.addEventListener("click", function (event) {
		var box = boxOf(event.target);

		if (box)
			focus(box), zoomTo(box);
	});
	svg.addEventListener("mouseover", function (event) {
		tell(boxOf(event.target) || focused);
	});
	svg.addEventListener("focusin", function (event) {
		var box = boxOf(event.target);

		if (box)
			focus(box);
	});
	["click", "keydown"].forEach(function (name) {
		reset.addEventListener(name, onLink(function () { zoomTo(root); }));
		search.addEventListener(name, onLink(onSearch));
	});
	document.addEventListener("keydown", onKey);
	search.setAttribute("display", "inline");
	focus(root);
	start();
})();
