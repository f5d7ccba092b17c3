"""What there is to draw of a mechanism: points that ride on bodies or stretch between them, and how they look. Who
draws it, a figure or a page, is another's matter: nothing here knows a canvas.
"""
