"""Write a page: one file of HTML that plays a motion in any browser, offline, beside curves of its quantities.

`pen` and `scene` describe the drawing at the times of `poses`, `places` packs its points and arrays, `html` joins them
with the scripts of `assets`. `live`, `geometry` and `redrawing` add the data with which a page solves the motion."""
