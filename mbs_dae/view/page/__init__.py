"""Write a page: one file of HTML that plays a motion in any browser, offline, beside curves of its quantities.

`pen` and `scene` describe the drawing, `numbers` packs arrays, `html` joins them with the scripts of `assets`. `live`
and `geometry` add the data of a page that solves the motion by itself."""
